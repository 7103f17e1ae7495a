"""Several assessors: who says what, asks, agreement."""
