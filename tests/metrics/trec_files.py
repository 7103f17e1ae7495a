"""Just enough of a reader for published TREC files and expected outputs."""


def read_qrels(path):
    judged = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            query, _, document, grade = line.split()
            judged.setdefault(query, {})[document] = int(grade)
    return judged


def read_run(path):
    run = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            query, _, document, _, score = line.split()[:5]
            run.setdefault(query, {})[document] = float(score)
    return run


def read_table(path):
    """Yield (row, column, text) of a table whose first column is the query."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = lines[0].split("\t")
    for line in lines[1:]:
        cells = line.split("\t")
        for head, cell in zip(heads[1:], cells[1:], strict=True):
            yield cells[0], head, cell


def read_trec_output(path):
    """Yield (name, query, text) of trec_eval's own output."""
    for line in path.read_text(encoding="utf-8").splitlines():
        name, query, text = line.split("\t")
        yield name.strip(), query, text
