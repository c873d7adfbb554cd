"""Names of measures, with ir_measures as the oracle of its own spelling."""

import doctest

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisearch.errors import UsageError
from wikisearch.evaluation import measures
from wikisearch.evaluation.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures

NAMES_WITH_CUTOFF = st.sampled_from(
    ["P", "Precision", "R", "Recall", "AP", "MAP", "RR", "MRR", "Success", "nDCG", "NDCG"]
)
NAMES_WITHOUT = st.sampled_from(["AP", "MAP", "RR", "MRR", "nDCG", "NDCG", "Rprec", "RPrec", "Bpref", "BPref"])
NUMBERS = st.integers(1, 10**6)
BLANKS = st.sampled_from(["", " ", "  "])


@st.composite
def spellings(draw: st.DrawFn) -> str:
    has_cutoff = draw(st.booleans())
    name = draw(NAMES_WITH_CUTOFF if has_cutoff else NAMES_WITHOUT)
    blank = draw(BLANKS)
    has_level = draw(st.booleans()) and name not in ("nDCG", "NDCG")
    level = draw(st.sampled_from(["", "()"]))
    if has_level:
        level = f"({blank}rel{blank}={blank}{draw(NUMBERS)}{blank})"
    return f"{name}{level}{blank}" + (f"@{blank}{draw(NUMBERS)}" if has_cutoff else "")


@given(spellings())
def test_the_one_spelling_is_that_of_ir_measures(spelling: str) -> None:
    assert str(parse_measure(spelling)) == str(ir_measures.parse_measure(spelling))


@given(spellings())
def test_a_measure_survives_its_spelling(spelling: str) -> None:
    measure = parse_measure(spelling)
    assert parse_measure(str(measure)) == measure


@given(st.text(max_size=12) | st.from_regex(r"(P|nDCG|AP)(\(.{0,8}\))?(@.{0,4})?", fullmatch=True))
def test_any_text_is_a_measure_or_a_usage_error(text: str) -> None:
    try:
        measure = parse_measure(text)
    except UsageError:
        return
    assert str(measure) == str(ir_measures.parse_measure(text.strip()))


@pytest.mark.parametrize(
    ("spelling", "fault"),
    [
        ("nDCG10", "there is no measure 'nDCG10'"),
        ("ndcg@10", "there is no measure 'ndcg'"),
        ("ERR@20", "there is no measure 'ERR'"),
        ("P", "P needs a cutoff, as in P@10"),
        ("Success(rel=2)", "Success needs a cutoff"),
        ("Rprec@10", "Rprec takes no cutoff"),
        ("P@0", "is not written as a measure"),
        ("P@-5", "is not written as a measure"),
        ("P@5.0", "is not written as a measure"),
        ("", "is not written as a measure"),
        ("P@5 AP", "is not written as a measure"),
        ("P(rel=0)@5", "expected parameter=number (from 1), got 'rel=0'"),
        ("P(2)@5", "expected parameter=number (from 1), got '2'"),
        ("P(rel=2,rel=3)@5", "parameter 'rel' is given twice"),
        ("P(judged_only=1)@5", "P has no parameter 'judged_only'"),
        ("nDCG(rel=2)@5", "nDCG has no parameter 'rel'"),
    ],
)
def test_what_is_no_measure_says_why(spelling: str, fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_measure(spelling)
    assert fault in str(caught.value)
    assert "; the known ones are: nDCG[@k], P[(rel=N)]@k, R[(rel=N)]@k, " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parts_of_a_measure() -> None:
    assert parse_measure("P(rel=2)@5") == Measure("P", 5, (("rel", 2),))
    assert parse_measure("P(rel=2)@5").level == 2
    assert parse_measure("AP") == Measure("AP")
    assert parse_measure("AP(rel=1)").level == 1


def test_measures_come_once_and_in_order() -> None:
    assert [str(each) for each in parse_measures(["AP", "P@5", "MAP", "P(rel=1)@5"])] == ["AP", "P@5"]
    with pytest.raises(UsageError, match="no measure is given"):
        parse_measures([])


def test_defaults_are_written_in_the_one_spelling() -> None:
    assert tuple(str(each) for each in parse_measures(DEFAULT_MEASURES)) == DEFAULT_MEASURES


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(measures)
    assert result.attempted > 0
    assert result.failed == 0
