"""The history of a project, its backups, and getting it back."""
