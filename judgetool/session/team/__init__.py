"""Several assessors in one project: how far they agree, and what whom one believes changes."""
