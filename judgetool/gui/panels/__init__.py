"""The panels of the window; what each of them is told of the open project is a ``ProjectPanel``'s."""
