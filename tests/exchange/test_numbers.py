"""Numbers in text mean what C's library makes of them."""

import ctypes
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from wikisearch.exchange.numbers import double_of, int_of, is_nan, leading_double, leading_int

pytestmark = pytest.mark.spark

C = ctypes.CDLL(None)
C.strtod.restype = C.atof.restype = ctypes.c_double
C.strtod.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
C.atof.argtypes = C.atol.argtypes = [ctypes.c_char_p]
C.atol.restype = ctypes.c_long

KNOWN = {
    # word: (strict, lenient), None where it is no number or NaN
    "1": (1.0, 1.0),
    "-1.5e3": (-1500.0, -1500.0),
    "1e-3": (0.001, 0.001),
    "+.5": (0.5, 0.5),
    "3.": (3.0, 3.0),
    "inf": (math.inf, math.inf),
    "-INFINITY": (-math.inf, -math.inf),
    "1e999": (math.inf, math.inf),
    "0x10": (16.0, 16.0),
    "-0X1.8p1": (-3.0, -3.0),
    "0x.8": (0.5, 0.5),
    "12.345678901234567890": (12.345678901234567890, 12.345678901234567890),
    "5e-324": (5e-324, 5e-324),
    # What Java takes and C does not
    "1.0d": (None, 1.0),
    "1f": (None, 1.0),
    "0x1p3d": (None, 8.0),
    "1.0\x01": (None, 1.0),
    "\x011.0": (None, 0.0),
    # No numbers
    "abc": (None, 0.0),
    "1,5": (None, 1.0),
    "": (None, 0.0),
    "-": (None, 0.0),
    ".": (None, 0.0),
    "1e": (None, 1.0),
    "0x": (None, 0.0),
    "infinit": (None, math.inf),
    "1_000": (None, 1.0),
    "\u0661": (None, 0.0),  # a digit of Arabic script
    "nan": (None, None),
    "-NaN": (None, None),
    "nan(1)": (None, None),
    "nano": (None, None),
}


def in_spark(spark: SparkSession, words: list[str]) -> list[tuple[float | None, float | None, int | None, int]]:
    text = F.col("text")
    columns = (double_of(text), leading_double(text), int_of(text), leading_int(text))
    table = spark.createDataFrame(list(enumerate(words)), "id INT, text STRING").repartition(2)
    found = table.select("id", *(column.alias(f"c{place}") for place, column in enumerate(columns))).collect()
    return [tuple(row)[1:] for row in sorted(found)]


def plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def test_known_words(spark: SparkSession) -> None:
    found = in_spark(spark, list(KNOWN))
    assert {
        word: (strict, plain(lenient)) for word, (strict, lenient, *_) in zip(KNOWN, found, strict=True)
    } == KNOWN
    words = spark.createDataFrame([(word,) for word in KNOWN], "text STRING")
    nans = words.where(is_nan(F.col("text"))).collect()
    assert {row["text"] for row in nans} == {"nan", "-NaN", "nan(1)"}


def test_whole_numbers(spark: SparkSession) -> None:
    cases = {
        # word: (strict, lenient)
        "1": (1, 1),
        "-2": (-2, -2),
        "+0003": (3, 3),
        "2147483647": (2147483647, 2147483647),
        "-2147483648": (-2147483648, -2147483648),
        "2147483648": (None, 2147483647),
        "9" * 50: (None, 2147483647),
        "1.5": (None, 1),
        "1e3": (None, 1),
        "0x10": (None, 0),
        "x": (None, 0),
        "-": (None, 0),
        "": (None, 0),
    }
    found = in_spark(spark, list(cases))
    assert {word: row[2:] for word, row in zip(cases, found, strict=True)} == cases


WORDS = st.one_of(
    st.text("0123456789.eE+-xXpPabcdfFinINtyTYaA_,", min_size=1, max_size=12),
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**12), 10**12).map(str),
    st.from_regex(r"[+-]?0[xX][0-9a-f]{1,6}(\.[0-9a-f]{0,3})?(p[+-]?[0-9]{1,2})?", fullmatch=True),
)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.lists(WORDS, min_size=300, max_size=300))
def test_any_word_is_what_c_makes_of_it(spark: SparkSession, words: list[str]) -> None:
    for word, (strict, lenient, strict_int, lenient_int) in zip(words, in_spark(spark, words), strict=True):
        end = ctypes.c_char_p()
        data = ctypes.create_string_buffer(word.encode())
        value = C.strtod(ctypes.cast(data, ctypes.c_char_p), ctypes.byref(end))
        is_whole = end.value == b""
        assert strict == (plain(value) if is_whole else None), word
        assert plain(lenient) == plain(C.atof(word.encode())), word
        clipped = max(-(2**31), min(2**31 - 1, C.atol(word.encode())))
        assert lenient_int == clipped, word
        is_digits = word.removeprefix("+" if word.startswith("+") else "-").isdigit()
        assert strict_int == (clipped if is_digits and clipped == int(word) else None), word
