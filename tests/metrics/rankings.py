"""Random judgments and runs for property tests."""

from hypothesis import strategies as st

DOCUMENTS = [*(f"d{n}" for n in range(12)), "é", "Z", "z9", "10", "9"]
QUERIES = ["q1", "q10", "q2", "Ä"]

# Tied on purpose; all are exact in 32 bits, so that single and double order alike.
SCORES = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0, 100.0])


def rankings(*, least=1):
    return st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=least, max_size=12)


def runs(*, least=1):
    return st.dictionaries(st.sampled_from(QUERIES), rankings(least=least), min_size=1)


def qrels(*, lowest=0, highest=3):
    grades = st.integers(lowest, highest)
    return st.dictionaries(
        st.sampled_from(QUERIES),
        st.dictionaries(st.sampled_from(DOCUMENTS), grades, min_size=1, max_size=14),
        min_size=1,
    )
