"""The errors that wikisearch raises; a job turns each into one line and an exit code."""


class WikisearchError(Exception):
    """Something went wrong that its message explains: what was found, and what to do. Exit code 1."""


class InputError(WikisearchError):
    """A file or a table that cannot be used as it is."""


class SchemaError(WikisearchError):
    """A DataFrame that does not have the columns its table promises."""


class StoreError(WikisearchError):
    """A root, snapshot or table that is not there, or is held by somebody else."""


class SetupError(WikisearchError):
    """A part of the environment (a JAR, Java, a package) that is missing."""


class UsageError(WikisearchError):
    """A wrong flag, a wrong configuration key, or a value out of its range. Exit code 2."""
