"""Generic DataFrame helpers: the check of columns against `schemas`, and the one tie rule of rankings."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from wikisearch.errors import SchemaError
from wikisearch.schemas import TABLES


def _all_nullable(data_type: T.DataType) -> T.DataType:
    if isinstance(data_type, T.ArrayType):
        return T.ArrayType(_all_nullable(data_type.elementType), True)
    if isinstance(data_type, T.MapType):
        return T.MapType(_all_nullable(data_type.keyType), _all_nullable(data_type.valueType), True)
    if isinstance(data_type, T.StructType):
        return without_nullability(data_type)
    return data_type


def without_nullability(struct: T.StructType, *, keep_columns: bool = False) -> T.StructType:
    """The schema with every nullability flag set: columns read back are always nullable.

    Args:
        struct: any schema.
        keep_columns: keep the flags (and the comments) of the columns themselves.
    """
    return T.StructType(
        [
            T.StructField(field.name, _all_nullable(field.dataType), field.nullable, field.metadata)
            if keep_columns
            else T.StructField(field.name, _all_nullable(field.dataType), True)
            for field in struct.fields
        ]
    )


def conform(df: DataFrame, table_name: str) -> DataFrame:
    """The DataFrame with exactly the columns of a table, in the table's order.

    Args:
        df: any DataFrame.
        table_name: a key of `schemas.TABLES`.

    Raises:
        SchemaError: naming every column that is missing, unexpected or of another type. Nullability is not
            compared (columns read back are always nullable); the store enforces it at write.
    """
    table = TABLES[table_name]
    found = {field.name: field.dataType for field in df.schema.fields}
    wanted = {column.name: column.type for column in table.columns}
    faults = [f"column {name}: missing" for name in wanted if name not in found]
    faults += [f"column {name}: unexpected" for name in found if name not in wanted]
    faults += [
        f"column {name}: expected {data_type.simpleString()}, got {found[name].simpleString()}"
        for name, data_type in wanted.items()
        if name in found and _all_nullable(found[name]) != _all_nullable(data_type)
    ]
    if faults:
        raise SchemaError(f"table '{table_name}': " + "; ".join(faults))
    return df.select(*table.column_names)


def ranking(score: str = "score", doc_id: str = "doc_id") -> list[Column]:
    """The order of every ranked list: score descending, then document id descending as UTF-8 bytes.

    This is trec_eval's rule (Buckley, trec_eval 9, form_res_rels.c), so that a measure computed by another
    tool sees the same order. Spark compares strings by their UTF-8 bytes.
    """
    return [F.col(score).desc(), F.col(doc_id).desc()]


def ranked_list(*others: str | Column) -> Column:
    """Aggregate: the rows of a group in the order of `ranking`, ARRAY<STRUCT<score, doc_id, others>>.

    Sorting the array of each list takes less than half of the time of a window over all rows.

    Args:
        others: columns to carry along.
    """
    return F.sort_array(F.collect_list(F.struct("score", "doc_id", *others)), asc=False)


def with_rank(df: DataFrame, partition_by: Sequence[str], order_by: Sequence[Column]) -> DataFrame:
    """Adds `rank` INT, from 1 within each partition; `order_by` must be a total order."""
    window = Window.partitionBy(*partition_by).orderBy(*order_by)
    return df.withColumn("rank", F.row_number().over(window))


def top_n(df: DataFrame, n: int, partition_by: Sequence[str], order_by: Sequence[Column]) -> DataFrame:
    """The first n rows of each partition, with `rank`; `order_by` must be a total order."""
    return with_rank(df, partition_by, order_by).where(F.col("rank") <= n)


def assert_unique(df: DataFrame, key: Sequence[str], what: str) -> None:
    """Raises unless no two rows share their key (acts: runs one aggregation).

    Raises:
        SchemaError: naming the first key, in the key's order, that occurs more than once.
    """
    repeated = df.groupBy(*key).count().where(F.col("count") > 1).orderBy(*key).first()
    if repeated is not None:
        shown = ", ".join(f"{name}={repeated[name]!r}" for name in key)
        raise SchemaError(f"{what}: {shown} occurs {repeated['count']} times; it must occur once")
