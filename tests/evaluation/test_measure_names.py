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
    assert parse_measure(spelling).spelling == str(ir_measures.parse_measure(spelling))


@given(spellings())
def test_a_measure_survives_its_spelling(spelling: str) -> None:
    measure = parse_measure(spelling)
    assert parse_measure(str(measure)) == parse_measure(measure.spelling) == measure


@given(st.text(max_size=12) | st.from_regex(r"(P|nDCG|AP)(\(.{0,8}\))?(@.{0,4})?", fullmatch=True))
def test_any_text_is_a_measure_or_a_usage_error(text: str) -> None:
    try:
        measure = parse_measure(text)
    except UsageError:
        return
    assert measure.spelling == str(ir_measures.parse_measure(text.strip()))


@pytest.mark.parametrize(
    ("spelling", "fault"),
    [
        ("nDCG10", "there is no measure 'nDCG10'"),
        ("ndcg@10", "there is no measure 'ndcg'"),
        ("ERR(rel=2)@20", "ERR has no parameter 'rel' here"),
        ("ERR(max_grade=31)@20", "max_grade cannot be 31; write max_grade=N"),
        ("ERR(max_grade=True)@20", "max_grade cannot be True"),
        ("RBP(p=1.0)", "p cannot be 1.0; write p=0.8"),
        ("IPrec", "IPrec needs a level of recall, as in IPrec@0.1"),
        ("IPrec@1.5", "recall cannot be 1.5; write IPrec@0.1"),
        ("alpha_nDCG@10", "trec_eval has no measure alpha_nDCG"),
        ("gdeval:P@10", "gdeval has no measure P"),
        ("trec_eval:ERR@20", "trec_eval has no measure ERR"),
        ("letor:nDCG", "nDCG needs a cutoff"),
        ("letor:P(rel=2)@5", "P has no parameter 'rel' here"),
        ("treceval:AP", "there is no family 'treceval', only trec_eval, gdeval, letor, ir_measures"),
        ("trec_eval:nDCG(dcg='exp-log2')@20", "nDCG has no parameter 'dcg' here"),
        ("nDCG(gains={1:2})@3", "nDCG has no parameter 'gains' here"),
        ("P", "P needs a cutoff, as in P@10"),
        ("Success(rel=2)", "Success needs a cutoff"),
        ("Rprec@10", "Rprec takes no cutoff"),
        ("P@0", "the cutoff is 0, not a number from 1"),
        ("P@-5", "is not written as a measure"),
        ("P@5.0", "the cutoff is 5.0, not a number from 1"),
        ("", "is not written as a measure"),
        ("P@5 AP", "is not written as a measure"),
        ("P(rel=0)@5", "rel cannot be 0; write rel=N"),
        ("P(2)@5", "is not written as a measure"),
        ("P(judged_only=1)@5", "P has no parameter 'judged_only' here"),
        ("nDCG(rel=2)@5", "nDCG has no parameter 'rel' here"),
    ],
)
def test_what_is_no_measure_says_why(spelling: str, fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_measure(spelling)
    assert fault in str(caught.value)
    assert "; the known ones are: nDCG[@k], P[(rel=N)]@k, R[(rel=N)]@k, " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parts_of_a_measure() -> None:
    assert parse_measure("P(rel=2)@5") == Measure("trec_eval", "P", 5, (("rel", 2),))
    assert parse_measure("P(rel=2)@5").level == 2
    assert parse_measure("AP") == Measure("trec_eval", "AP")
    assert parse_measure("AP(rel=1)").level == 1


@pytest.mark.parametrize(
    ("spelling", "full"),
    [
        ("nDCG@10", "trec_eval:nDCG@10"),
        ("ERR", "gdeval:ERR"),
        ("ERR(max_grade=4)@20", "gdeval:ERR@20"),
        ("ERR(max_grade=2)@20", "gdeval:ERR(max_grade=2)@20"),
        ("nDCG(dcg='exp-log2')@20", "gdeval:nDCG@20"),
        ("gdeval:nDCG(dcg='exp-log2')@20", "gdeval:nDCG@20"),
        ("nDCG(dcg='log2')@20", "trec_eval:nDCG@20"),
        ("RBP(p=0.8)", "ir_measures:RBP"),
        ("RBP(rel=2,p=0.95)@10", "ir_measures:RBP(p=0.95,rel=2)@10"),
        ("Judged@10", "ir_measures:Judged@10"),
        ("infAP(rel=2)", "trec_eval:infAP(rel=2)"),
        (" letor : NDCG(padded=True)@10", "letor:nDCG(padded=True)@10"),
        ("IPrec@0.1", "trec_eval:IPrec@0.1"),
        ("IPrec(rel=2)@1", "trec_eval:IPrec(rel=2)@1.0"),
        ("MeanNDCG", "letor:MeanNDCG"),
        ("letor:MAP", "letor:AP"),
    ],
)
def test_every_measure_has_a_family(spelling: str, full: str) -> None:
    assert str(parse_measure(spelling)) == full
    assert parse_measure(full) == parse_measure(spelling)


def test_measures_come_once_and_in_order() -> None:
    assert [each.spelling for each in parse_measures(["AP", "P@5", "MAP", "P(rel=1)@5"])] == ["AP", "P@5"]
    several = parse_measures(["nDCG@10 AP  ERR (max_grade = 3) @ 20", " letor : P @ 5 R@10\tRBP(p=0.5, rel=2)"])
    assert [str(each) for each in several] == [
        "trec_eval:nDCG@10",
        "trec_eval:AP",
        "gdeval:ERR(max_grade=3)@20",
        "letor:P@5",
        "trec_eval:R@10",
        "ir_measures:RBP(p=0.5,rel=2)",
    ]
    with pytest.raises(UsageError, match="no measure is given"):
        parse_measures([])


def test_defaults_are_written_in_the_one_spelling() -> None:
    assert tuple(each.spelling for each in parse_measures(DEFAULT_MEASURES)) == DEFAULT_MEASURES


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(measures)
    assert result.attempted > 0
    assert result.failed == 0
