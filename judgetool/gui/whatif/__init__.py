"""The what-if view: reorder a ranking and see at once what every measure makes of it."""
