"""What actions do: one handler for each group of the table, one method for each action."""
