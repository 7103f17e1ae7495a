"""Changes of many judgments at once, of the scale, and of material by hand."""
