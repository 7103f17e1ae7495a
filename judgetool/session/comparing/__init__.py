"""Runs, what-ifs and snapshots against each other."""
