"""Finding queries, documents and one's own judgments."""
