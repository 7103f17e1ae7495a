"""How one row of a list is painted; nothing here reads the session."""
