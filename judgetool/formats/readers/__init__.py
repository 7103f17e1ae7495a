"""Readers of other programs' formats, one module for each family of layouts."""
