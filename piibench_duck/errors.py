"""What a user can mend: one sentence each, with the file or key, what was found and what was expected."""


class PiibenchError(Exception):
    """A fault that a user can mend. Its message is one sentence and never holds text of a row."""


class WrongUsageError(PiibenchError):
    """Options that do not go together; the command line exits with 2."""
