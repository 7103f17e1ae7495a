"""What stands beside the document while it is judged."""
