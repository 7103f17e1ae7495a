"""What the domain is: values and rules, in plain Python.

Belongs here: queries, documents, runs, scales, judgments, how several judgments
of one document are folded into one grade, how a ranking is ordered.
Does not: files, SQL, Qt, numbers of measures. numpy may be used; pandas may not.
"""
