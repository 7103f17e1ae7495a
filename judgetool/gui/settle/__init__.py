"""The settle view: one dispute after the other, what was said of it, and what holds from now on."""
