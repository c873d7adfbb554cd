"""wikisearch: PySpark batch jobs that turn a Wikipedia dump into a search engine and a test collection."""
