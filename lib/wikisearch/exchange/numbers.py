"""Numbers in text as C's strtod, atof and atol read them, which is what trec_eval does with its files.

Java's rule, which Spark's cast follows, is another: it takes `1.0d` and `NaN`, and wants an exponent after
hexadecimal digits. The common case is told by looks that cost nothing; the rest goes through patterns.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_HEXADECIMAL = r"0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
_INFINITY = r"[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
_NAN = r"[nN][aA][nN]"
_NUMBER = f"[+-]?(?:{_HEXADECIMAL}|{_DECIMAL}|{_INFINITY})"
_MAX_INT = (1 << 31) - 1


def _java_double(text: Column) -> Column:
    """The value of what `_NUMBER` describes, NULL for anything else that Java does not take."""
    return F.coalesce(text.cast("double"), F.concat(text, F.lit("p0")).cast("double"))


def double_of(text: Column) -> Column:
    """The number that a word is, as strtod reads it: DOUBLE, NULL if it is none or NaN."""
    number = text.cast("double")
    last = F.substring(text, -1, 1)
    # Java takes blanks and control characters around a number, too, and a letter behind it.
    is_odd = number.isNull() | (text < "+") | (text >= ":") | (last < ".") | (last >= ":")
    return F.when(is_odd, F.when(text.rlike(f"^{_NUMBER}$"), _java_double(text))).otherwise(number)


def is_nan(text: Column) -> Column:
    """Whether a word is C's NaN."""
    return text.rlike(rf"^[+-]?{_NAN}(?:\([0-9a-zA-Z_]*\))?$")


def leading_double(text: Column) -> Column:
    """The number that a word begins with, as atof reads it: DOUBLE, 0 if it begins with none, or NaN."""
    found = F.regexp_extract(text, f"^{_NUMBER}", 0)
    is_not_a_number = text.rlike(f"^[+-]?{_NAN}")
    return F.when(found != "", _java_double(found)).when(is_not_a_number, float("nan")).otherwise(0.0)


def int_of(text: Column) -> Column:
    """The whole number that a word of decimal digits is: INT, NULL if it is none or has over 32 bits."""
    number = text.cast("decimal(38,0)")
    is_int = text.rlike("^[+-]?[0-9]+$") & number.between(-_MAX_INT - 1, _MAX_INT)
    return F.when(is_int, number.cast("int"))


def leading_int(text: Column) -> Column:
    """The whole number that a word begins with, as atol reads it, cut to 32 bits: INT, 0 if there is none."""
    digits = F.regexp_extract(text, "^[+-]?[0-9]+", 0)
    number = F.when(digits != "", digits.cast("double")).otherwise(0.0)
    return F.least(F.greatest(number, F.lit(-_MAX_INT - 1.0)), F.lit(float(_MAX_INT))).cast("int")
