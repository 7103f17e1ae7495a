"""Files of others: text to values and back; knows nothing of the project file."""
