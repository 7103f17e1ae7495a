"""Writing judgments, runs and reports to files of others."""
