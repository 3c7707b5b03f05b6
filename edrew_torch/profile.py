"""Profile: every list and token that turns a page into its reTPS, in one place.

The defaults are the thesis' own (tables and text of chapter 4). A profile is plain data: `replace` makes a variant,
`configs/retps/` does the same for a training run.

    >>> from dataclasses import replace
    >>> mine = replace(PROFILES["full"], keywords=(*DEFAULT_KEYWORDS, ("author", "<#AUTHOR>")))

Read by parse/ (which lists cut a page) and retps.py (which tokens describe it).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from edrew_torch.errors import BadConfig, UnknownName

FORMATTER_TAGS = tuple("b strong i em mark small del ins sub sup".split())

# Keyword tokens stand in this order. The thesis' table 3 lost the token of "price" in the scan; its text names it.
DEFAULT_KEYWORDS = (
    ("value", "<#VAL>"),
    ("description", "<#DESC>"),
    ("name", "<#NAME>"),
    ("date", "<#DATE>"),
    ("content", "<#CONT>"),
    ("detail", "<#DET>"),
    ("price", "<#PRICE>"),
)


@dataclass(frozen=True)
class Profile:
    """How a page is cut, which tags count for what, and which tokens are emitted."""

    name: str
    parser: str  # a key of parse.PARSERS
    threshold: int = 20  # elements kept of a reTPS, from the leaf: thesis, figure 10
    skip_tags: tuple[str, ...] = tuple("link meta noscript base style input area".split())
    wrapper_tags: tuple[str, ...] = ("span", "a", *FORMATTER_TAGS)
    formatter_tags: tuple[str, ...] = FORMATTER_TAGS
    repeating_tags: tuple[str, ...] = tuple("li ol ul option p dd dl dt br th tr td menuitem".split())
    keywords: tuple[tuple[str, str], ...] = DEFAULT_KEYWORDS
    any_currency: bool = False  # <#$> for every currency sign, not for "$" alone

    def __post_init__(self) -> None:
        faults = []
        if not _are_texts((self.name, self.parser)):
            faults.append(f"name and parser must be names, not {self.name!r} and {self.parser!r}")
        if type(self.threshold) is not int or not 1 <= self.threshold <= 10_000:
            faults.append(f"threshold must be a whole number from 1 to 10000, not {self.threshold!r}")
        for name in ("skip_tags", "wrapper_tags", "formatter_tags", "repeating_tags"):
            if not _are_texts(getattr(self, name)):
                faults.append(f"{name} must be a tuple of names, not {getattr(self, name)!r}")
        if not (
            isinstance(self.keywords, tuple) and all(_are_texts(pair) and len(pair) == 2 for pair in self.keywords)
        ):
            faults.append(f"keywords must be pairs of a word and its token, not {self.keywords!r}")
            raise BadConfig(f"profile {self.name!r}: {'; '.join(faults)}.")
        if len(self.keywords) > 24:  # two bits each in an int64, beside the marks of their own
            faults.append(f"at most 24 keywords, not {len(self.keywords)}")
        for word, token in self.keywords:
            if len(word) < 2 or word != word.lower():
                faults.append(f"a keyword is a lower-case word of at least two letters, not {word!r}")
            if not (token.startswith("<#") and token.endswith(">")):
                faults.append(f"the token of {word!r} must look like <#NAME>, not {token!r}")
        if faults:
            raise BadConfig(f"profile {self.name!r}: {'; '.join(faults)}.")


def _are_texts(values: object) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in values)


PROFILES = {
    # to the letter of the thesis, losses included
    "thesis": Profile("thesis", parser="regex"),
    # the product's: every visible text node is a sample
    "full": Profile("full", parser="lxml", any_currency=True),
}


def extend_profile(profile: str, threshold: int, keywords: Mapping[str, str]) -> Profile:
    """Return the profile of this name with another threshold and further keywords."""
    found = find_profile(profile)
    if not isinstance(keywords, Mapping):
        raise BadConfig(f"retps.keywords must be words with their tokens, {{author: <#AUTHOR>}}, not {keywords!r}.")
    return replace(found, threshold=threshold, keywords=(*found.keywords, *keywords.items()))


def find_profile(profile: str | Profile) -> Profile:
    """Return the profile of this name; a Profile is returned as it is."""
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, str) or profile not in PROFILES:
        raise UnknownName.among("profile", profile, PROFILES)
    return PROFILES[profile]
