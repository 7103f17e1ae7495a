"""The team's hub: one PostgreSQL database in which the files of one project meet.

Nothing else in judgetool imports psycopg, and here it is loaded by whoever connects.
"""
