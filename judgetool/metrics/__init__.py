"""Numbers from rankings and judgments."""
