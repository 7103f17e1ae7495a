"""Windows that ask for one thing; each has a classmethod ``ask`` that returns the answer.

A dialog is titled by its act; at the right of its foot stand Cancel and then the
verb. It changes nothing by itself: whoever asked acts on the answer. (The import is
the exception: it must show how far it is while it writes.)
"""
