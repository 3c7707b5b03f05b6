"""XPath: how tags, classes, attributes and texts are written so that lxml, parsel and Scrapy select what we select.

    o:p                    ->   *[name()='o:p']
    a text with ' and "    ->   concat('…', "'", '…')

Read by records/selector.py, records/columns.py and fields/rule.py, whose paths are XPaths too.
"""

from edrew_torch.tree import PLAIN_NAME

# XPath takes no-break spaces for letters; a page's texts are compared without. Rarer spaces (thin, em…) stay letters to
# an exported path: naming all nineteen each time made paths that nobody could read.
ONE_SPACE = "translate(., '\u00a0', ' ')"
NOT_BLANK = f"[normalize-space({ONE_SPACE})]"


def quoted(text: str) -> str:
    """The text as an XPath string."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    return "concat(" + ', "\'", '.join(f"'{part}'" for part in text.split("'")) + ")"


def tag_test(tag: str) -> str:
    """What selects the elements of this tag; some pages have names that no XPath can name.

    >>> tag_test("td"), tag_test("o:p")
    ('td', "*[name()='o:p']")
    """
    return tag if PLAIN_NAME.match(tag) else f"*[name()={quoted(tag)}]"


def class_test(name: str) -> str:
    """The condition that an element has this class, in brackets."""
    return f"[contains(concat(' ', normalize-space(@class), ' '), {quoted(f' {name} ')})]"


def attribute_test(name: str, value: str) -> str:
    """The condition that an attribute has this value, in brackets."""
    return f"[@{name}={quoted(value)}]"
