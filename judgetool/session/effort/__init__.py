"""How long judging took, and what had an effect on it."""
