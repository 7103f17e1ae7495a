"""What-ifs: named reorderings of a run, kept in the project, that touch neither run nor judgments.

A what-if starts from a run (or several, fused), applies its rules to every query,
and then each query's steps. Its values live in the session's engine beside the runs'.
"""
