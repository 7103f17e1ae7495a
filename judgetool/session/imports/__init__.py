"""What an import does: a plan first, then one step that Undo takes back."""
