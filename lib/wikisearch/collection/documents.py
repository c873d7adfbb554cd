"""Documents of the test collection: long enough articles without their first sentence.

Rules:
1. An article becomes a document if it is no disambiguation page, if its whole text (first sentence included,
   nothing cut) has at least `min_words` words, and if something is left of it after rule 2.
2. A document's text is the article's text without its first sentence, which is taken out once, where it
   stands: relevance is read from the links of first sentences, and a document must not give its own answer
   away. White space at both ends goes with it; the text is not cut at any length.
3. A word is a run of characters that are not white space (Unicode's property White_Space).
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wikisearch.collection.params import CollectionParams
from wikisearch.frames import conform


def documents_from_articles(articles: DataFrame, params: CollectionParams) -> DataFrame:
    """The documents of the test collection.

    Args:
        articles: `articles`; page_id, revision_id, title, text, first_sentence, is_disambiguation are read.
        params: `min_words`.

    Returns:
        `documents`, unique by doc_id; num_words (> 0) counts the text that is kept.
    """
    is_long = num_words(F.col("text")) >= params.min_words
    kept = articles.where(~F.col("is_disambiguation") & is_long).select(
        F.col("page_id").cast("string").alias("doc_id"),
        "page_id",
        "revision_id",
        "title",
        without_first_sentence().alias("text"),
    )
    documents = kept.where(F.col("text") != "").withColumn("num_words", num_words(F.col("text")))
    return conform(documents, "documents")


def num_words(text: Column) -> Column:
    """INT, whitespace-separated words of a text (rule 3)."""
    return F.regexp_count(text, F.lit(r"(?U)\S+"))


def without_first_sentence() -> Column:
    """STRING, `text` without the first occurrence of `first_sentence` (rule 2), trimmed."""
    text, sentence = F.col("text"), F.col("first_sentence")
    at = F.position(sentence, text)  # from 1; 0: not in it
    # Not F.replace, which takes out every occurrence.
    rest = F.concat(F.left(text, at - 1), F.substr(text, at + F.length(sentence)))
    is_there = (F.length(sentence) > 0) & (at > 0)
    return F.regexp_replace(F.when(is_there, rest).otherwise(text), r"(?U)^\s+|\s+$", "")
