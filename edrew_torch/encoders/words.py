"""How an element of reTPS is written in words, for encoders that were trained on words.

    div|21 -> div 21     <#CLSS> -> class     my-element|5 -> my element 5     <#UNK>|3 -> unknown 3     <#PAD> ->

A tag is its name, then its position class as a number. A special token is the word that it stands for; one that a
profile adds (`<#SALE_PRICE>`) is its own letters. Different elements are written differently, as far as names differ
in more than punctuation. Read by bert.py and glove.py.
"""

import re

from edrew_torch.retps import CLASS, CONTENT, CURRENCY, HIDDEN, ID, PAD, PROPERTY, UNKNOWN

SPECIAL_WORDS = {
    PAD: "",
    UNKNOWN: "unknown",
    ID: "id",
    CLASS: "class",
    PROPERTY: "property",
    HIDDEN: "hidden",
    CONTENT: "text",  # not "content": that is the keyword below, and both stand in one row
    CURRENCY: "currency",
    # the keywords whose tokens profile.py abbreviates
    "<#VAL>": "value",
    "<#DESC>": "description",
    "<#CONT>": "content",
    "<#DET>": "detail",
}
WORD = re.compile(r"[^\W_]+")  # letters and digits of any script


def element_words(element: str) -> list[str]:
    """Return the words of a printed element, in lower case; none for padding.

    >>> [element_words(e) for e in ("div|21", "<#CLSS>", "<#PRICE>", "my-element|5", "<#UNK>|3", "br", "<#PAD>")]
    [['div', '21'], ['class'], ['price'], ['my', 'element', '5'], ['unknown', '3'], ['br'], []]
    """
    name, _, position = element.partition("|")
    return WORD.findall(f"{SPECIAL_WORDS.get(name, name)} {position}".lower())
