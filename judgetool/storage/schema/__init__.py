"""Numbered SQL files: ``0001.sql`` makes schema 1, each later one the step to its number."""
