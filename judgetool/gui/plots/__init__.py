"""Charts of our own: one drawing for screen, PNG, SVG and print, in the theme's tokens.

:mod:`chart` holds what is drawn, :mod:`drawing` draws it, :mod:`view` shows it and lets
pointer and keys walk its points, :mod:`files` writes it.
"""
