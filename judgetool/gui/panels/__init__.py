"""The parts of the window that show a project: queries, results, document, values."""
