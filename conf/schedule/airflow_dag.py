"""A thin Airflow DAG: one task that calls the plan; which steps run is the plan's matter, not Airflow's."""

from datetime import UTC, datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator

COMMAND = """
cd {{ var.value.wikisearch_home }} &&
PATH=$PWD/.venv/bin:$PATH spark-submit --properties-file conf/spark/cluster.conf \
  --master {{ var.value.wikisearch_master }} --py-files dist/wikisearch.zip \
  jobs/refresh.py --root {{ var.value.wikisearch_root }} --snapshot {{ ds_nodash }} \
  --config conf/cluster.toml --spark-conf conf/spark/cluster.conf --master {{ var.value.wikisearch_master }} \
  --py-files dist/wikisearch.zip \
  --dump '{{ var.value.wikisearch_dump }}'
"""

with DAG(
    dag_id="wikisearch_refresh",
    schedule="15 3 3,22 * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,  # a root has one writer
) as dag:
    BashOperator(
        task_id="refresh",
        bash_command=COMMAND,
        # A killed refresh goes on where it stood, so one more try is cheap.
        retries=1,
        retry_delay=timedelta(minutes=10),
    )
