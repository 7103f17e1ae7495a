"""In which order documents come to be judged, and what is left."""
