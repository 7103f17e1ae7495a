"""The compare view: systems × measures, query by query, rankings side by side, curves."""
