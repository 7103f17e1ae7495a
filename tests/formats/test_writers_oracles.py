"""Files that judgetool writes, read by the tools for which they are written."""

import csv
import itertools
import json
import warnings

import pytest

from judgetool.formats.judgment_columns import COLUMNS
from tests.helpers.program import SAMPLE, must, sample_project

pytestmark = pytest.mark.oracle
MEASURES = ("-m", "nDCG@10", "-m", "AP")


def needed(name):
    """A tool that is to read our files; without it the test skips and says so."""
    return pytest.importorskip(name, reason=f"SKIPPED LOUDLY: the tool {name!r} is not installed")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The sample as a project."""
    return sample_project(tmp_path_factory.mktemp("oracles") / "s.judge")


@pytest.fixture
def write(project, tmp_path):
    """Writes a format and returns the file."""

    def written(name, *options):
        path = tmp_path / name
        must("export", project, "--format", name, "--out", path, *options)
        return path

    return written


def sample_qrels():
    """The sample's grades by query and document, from its own file."""
    lines = (SAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()
    grades = {}
    for query, _, document, grade in map(str.split, lines):
        grades.setdefault(query, {})[document] = int(grade)
    return grades


def test_pytrec_eval_scores_our_qrels_and_run(write):
    """pytrec_eval reads both files and gives judgetool's own nDCG@10."""
    pytrec_eval = needed("pytrec_eval")
    qrels, run = write("trec-qrels"), write("trec-run", "--run", "chargrams")
    with qrels.open(encoding="utf-8") as grades, run.open(encoding="utf-8") as results:
        parsed = pytrec_eval.parse_qrel(grades), pytrec_eval.parse_run(results)
    assert parsed[0] == sample_qrels()
    values = pytrec_eval.RelevanceEvaluator(parsed[0], {"ndcg_cut_10"}).evaluate(parsed[1])
    mean = sum(value["ndcg_cut_10"] for value in values.values()) / len(parsed[0])
    ours = must("score", qrels, run, "-m", "nDCG@10").rows[0][2]
    assert f"{mean:.4f}" == ours


def test_ir_measures_reads_our_qrels(write):
    """ir_measures gives the same grades back."""
    ir_measures = needed("ir_measures")
    read = list(ir_measures.read_trec_qrels(str(write("trec-qrels"))))
    assert len(read) == 244
    assert all(sample_qrels()[row.query_id][row.doc_id] == row.relevance for row in read)


def test_ir_measures_scores_our_qrels_and_run(write):
    """ir_measures reads both files and gives judgetool's own nDCG@10 and AP."""
    ir_measures = needed("ir_measures")
    qrels, run = write("trec-qrels"), write("trec-run", "--run", "title-bm25")
    measures = {name: ir_measures.parse_measure(name) for name in ("nDCG@10", "AP(rel=1)")}
    theirs = ir_measures.calc_aggregate(
        measures.values(),
        list(ir_measures.read_trec_qrels(str(qrels))),
        list(ir_measures.read_trec_run(str(run))),
    )
    ours = {row[0]: row[2] for row in must("score", qrels, run, *MEASURES).rows}
    assert f"{theirs[measures['nDCG@10']]:.4f}" == ours["nDCG@10"]
    assert f"{theirs[measures['AP(rel=1)']]:.4f}" == ours["AP"]


def test_ranx_reads_and_scores_our_qrels_and_run(write):
    """ranx reads qrels and run and gives judgetool's own nDCG@10 and AP."""
    ranx = needed("ranx")
    qrels_file, run_file = write("trec-qrels"), write("trec-run", "--run", "title-bm25")
    qrels = ranx.Qrels.from_file(str(qrels_file), kind="trec")
    assert {query: dict(grades) for query, grades in qrels.to_dict().items()} == sample_qrels()
    run = ranx.Run.from_file(str(run_file), kind="trec")
    theirs = ranx.evaluate(qrels, run, ["ndcg@10", "map"], make_comparable=True)
    ours = {row[0]: row[2] for row in must("score", qrels_file, run_file, *MEASURES).rows}
    assert f"{theirs['ndcg@10']:.4f}" == ours["nDCG@10"]
    assert f"{theirs['map']:.4f}" == ours["AP"]


@pytest.mark.parametrize("name", ["judgments-csv", "judgments-parquet"])
def test_pandas_reads_every_detail(write, name):
    """Time, effort, flag, confidence and rationale have columns that pandas takes."""
    pd = needed("pandas")
    path = write(name)
    table = pd.read_parquet(path) if name.endswith("parquet") else pd.read_csv(path)
    assert list(table.columns) == list(COLUMNS)
    assert pd.to_datetime(table["at"], utc=True).notna().all()


def test_beir_loads_our_qrels(write):
    """BEIR's loader skips one header line and takes three columns between tabs, whole numbers."""
    with write("beir-qrels").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_MINIMAL))
    assert rows[0] == ["query-id", "corpus-id", "score"]
    assert all(sample_qrels()[query][document] == int(grade) for query, document, grade in rows[1:])


def test_scikit_learn_reads_our_letor_file(write):
    """scikit-learn's svmlight loader reads gains and queries of a list without features."""
    datasets = needed("sklearn.datasets")
    _, gains, queries = datasets.load_svmlight_file(
        str(write("letor")), query_id=True, n_features=1
    )
    expected = [grade for of_query in sample_qrels().values() for grade in of_query.values()]
    assert sorted(gains) == sorted(expected)
    assert len(set(queries)) == len(sample_qrels())


def test_pandas_reads_our_long_tables(write):
    """pandas reads the same judgments from CSV, JSON lines, Parquet and Excel."""
    pd = needed("pandas")
    tables = [
        pd.read_csv(write("judgments-csv"), dtype=str, na_filter=False),
        pd.read_json(write("judgments-jsonl"), lines=True, dtype=False),
        pd.read_parquet(write("judgments-parquet")),
        pd.read_excel(write("judgments-excel"), dtype={"query": str}, engine="openpyxl"),
    ]
    said = [
        [
            (row.query, row.document, row.assessor, float(row.grade))
            for row in table.astype({"query": str}).itertuples()
        ]
        for table in tables
    ]
    assert len(said[0]) == 342
    assert all(each == said[0] for each in said)


def test_quepid_takes_our_ratings(write):
    """Quepid's importer wants just this header, and three cells in each row."""
    with write("quepid-csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["query", "docid", "rating"]
    assert {len(row) for row in rows} == {3}


def test_rank_eval_rates_no_document_twice(write):
    """Elasticsearch refuses a document that is rated twice, and ratings that are no integers."""
    request = json.loads(write("rank-eval-request").read_text(encoding="utf-8"))
    for each in request["requests"]:
        rated = [(rating["_index"], rating["_id"]) for rating in each["ratings"]]
        assert len(set(rated)) == len(rated)
        assert all(type(rating["rating"]) is int for rating in each["ratings"])


def test_xgboost_reads_our_letor_file(write):
    """Every line is a row with its grade, and rows of a query stand together; no line is made up."""
    xgboost = needed("xgboost")
    with warnings.catch_warnings():
        # Its text files are on their way out there; they are what LETOR is.
        warnings.simplefilter("ignore")
        rows = xgboost.DMatrix(f"{write('letor')}?format=libsvm")
    grades = sample_qrels()
    assert sorted(rows.get_label()) == sorted(
        grade for documents in grades.values() for grade in documents.values()
    )
    sizes = [len(documents) for documents in grades.values()]
    ends = rows.get_uint_info("group_ptr").tolist()
    assert [after - before for before, after in itertools.pairwise(ends)] == sizes


def test_lightgbm_reads_its_own_letor_file(write):
    """Grades and the groups beside them are those of the project; the ids stand row by row."""
    lightgbm = needed("lightgbm")
    path = write("lightgbm")
    params = {"verbose": -1, "feature_pre_filter": False}
    rows = lightgbm.Dataset(str(path), params=params)
    rows.construct()
    lines = path.with_name("lightgbm.ids").read_text(encoding="utf-8").splitlines()
    ids = [tuple(json.loads(line).values()) for line in lines]
    grades = sample_qrels()
    assert rows.get_label().tolist() == [grades[query][document] for query, document in ids]
    assert rows.get_group().tolist() == [len(documents) for documents in grades.values()]


def test_beirs_loader_reads_our_folder(project, tmp_path):
    """Read as BEIR's loader reads: JSON lines by _id, qrels by Python's csv with tabs."""
    must("export", project, "--beir", tmp_path / "beir")
    folder = tmp_path / "beir"
    with (folder / "corpus.jsonl").open(encoding="utf-8") as stream:
        corpus = {line["_id"]: line for line in map(json.loads, stream)}
    with (folder / "queries.jsonl").open(encoding="utf-8") as stream:
        queries = {line["_id"]: line["text"] for line in map(json.loads, stream)}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as stream:
        rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(rows)
        qrels = {}
        for query, document, grade in rows:
            qrels.setdefault(query, {})[document] = int(grade)
    assert qrels == sample_qrels()
    assert len(corpus) == 161
    assert len(queries) == 20
    assert all(corpus[document]["text"] for documents in qrels.values() for document in documents)
