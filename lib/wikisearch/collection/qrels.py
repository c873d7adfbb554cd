"""Graded relevance judgements from the links of first sentences.

Rules, after Frej, Schwab, Chevallet 2020, "WIKIR: A Python Toolkit for Building a Large-scale Wikipedia-based
English Information Retrieval Dataset", section 3:
1. The query of an article is answered best by that article's document: relevance 2.
2. A document whose first sentence links to the article (redirects resolved) is about it too: relevance 1.
3. An article is a query if it is a document and at least `min_relevant` other documents have relevance 1.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.collection.params import CollectionParams
from wikisearch.collection.splits import split_of
from wikisearch.frames import conform


def qrels_from_links(documents: DataFrame, links: DataFrame, params: CollectionParams) -> DataFrame:
    """The judgements of every query.

    Args:
        documents: `documents`; page_id is read.
        links: `links`; src_id, dst_id, is_in_first_sentence are read.
        params: `min_relevant`, and what `split_of` reads.

    Returns:
        `qrels`, unique by query_id and doc_id; relevance 1 or 2, one 2 a query.
    """
    ids = documents.select("page_id")
    pairs = (
        links.where("is_in_first_sentence AND src_id <> dst_id")
        .select("src_id", "dst_id")
        .join(ids.withColumnRenamed("page_id", "src_id"), on="src_id", how="left_semi")
        .join(ids.withColumnRenamed("page_id", "dst_id"), on="dst_id", how="left_semi")
    )
    judged = (
        pairs.groupBy("dst_id")
        .agg(F.collect_list("src_id").alias("src_ids"))
        .where(F.size("src_ids") >= params.min_relevant)
    )
    own = F.array(F.struct(F.col("dst_id").alias("doc"), F.lit(2).alias("relevance")))
    one = F.lit(1).alias("relevance")
    linking = F.transform("src_ids", lambda src_id: F.struct(src_id.alias("doc"), one))
    rows = judged.select("dst_id", F.inline(F.concat(own, linking)))
    qrels = rows.select(
        F.col("dst_id").cast("string").alias("query_id"),
        F.col("doc").cast("string").alias("doc_id"),
        "relevance",
        split_of(F.col("dst_id"), params).alias("split"),
    )
    return conform(qrels, "qrels")
