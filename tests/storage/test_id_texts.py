"""External ids of many documents by number."""

import numpy as np
import pytest

from judgetool.core.judgments import Query
from judgetool.storage.ids import CHUNK, load_id_texts
from tests.helpers.builders import Parts, make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    names = [f"dök {number}" for number in range(CHUNK + 50)]
    parts = Parts([Query("q")], runs={"alpha": {"q": names}})
    with make_project(tmp_path_factory.mktemp("ids"), parts) as session:
        yield session


def test_ids_come_in_the_order_asked_for(project):
    """More than one statement's worth, backwards, in 32 bits."""
    plain = project.material.document_ids()
    numbers = np.array(sorted(plain, reverse=True), dtype=np.int32)
    assert load_id_texts(project.reader, numbers) == [plain[number] for number in numbers.tolist()]


def test_no_numbers_have_no_ids(project):
    """Nothing asked, nothing found."""
    assert load_id_texts(project.reader, np.zeros(0, dtype=np.int64)) == []


def test_unknown_number_is_told(project):
    """A number that no document has is no silent gap."""
    with pytest.raises(KeyError):
        load_id_texts(project.reader, np.array([1, 10**7]))
