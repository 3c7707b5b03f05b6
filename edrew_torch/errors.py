"""What can go wrong, by name. Every message says what was wrong, what was given and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class EdrewError(Exception):
    """Anything this package raises on purpose: the command line prints it without a traceback."""


class NotAPage(EdrewError):
    """The source holds no HTML: nothing at all, another kind of file, or it cannot be read."""


class PageTooLarge(EdrewError):
    """The source is larger than the limit it was read with."""


class FetchFailed(EdrewError):
    """The server could not be reached, or did not answer with a page."""


class UnknownName(EdrewError, ValueError):
    """A name that is not in a table: a profile, an encoder, a vertical…"""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> "UnknownName":
        """The error for `name`, with the nearest known name and all of them.

        >>> str(UnknownName.among("encoder", "emlo", ["bert", "elmo"]))
        "no encoder named 'emlo'; did you mean 'elmo'? Available: bert, elmo."
        """
        names = sorted(known)
        near = get_close_matches(str(name), names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        return cls(f"no {kind} named {name!r}{hint} Available: {', '.join(names)}.")


class BadData(EdrewError):
    """A data set's file does not say what its format says it must."""


class BadConfig(EdrewError, ValueError):
    """A configuration that cannot be run; the message lists every fault in it."""


class MissingWeights(EdrewError):
    """The weights of an encoder are not on this machine, or are not what they should be."""
