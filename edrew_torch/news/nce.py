"""NCE, the News Content Extractor: the element that holds the article, and the blocks of it that are the article.

    Blocks   ->   Body(node, which blocks are kept, which is the title)

Theirs (the document of 2009, in the spec `news`): a page's tree without rendering; nothing but `<a>`, `<p>` and
`<title>` is looked at, so that it does not age with HTML; the nodes whose text tells the story, title and body, are
marked; no pictures, comments or presentation; fast, and better in recall than in precision. How it does that is not
published. Ours: every step below, and that text outside `<p>` counts as prose if it is long enough, for pages that have
their text straight in a `div` or part it by line breaks.

1. A block is *prose* if few of its characters stand in links and it stands in a `<p>` or is long. Prose gains its
   characters, all else costs its links and a fixed amount.
2. The block most like `<title>` is the headline. No prose stands before it, if enough stands behind.
3. The body is the element whose blocks gain the most; then the deepest below it that still holds most of its prose.
4. Inside it, what lies before and behind the best run of blocks is cut, and elements and blocks that are mostly links.
   The run is drawn out to the headline, so far as that gains, and ends where the last large column of prose ends.
5. The title is the headline, if it stands before the body.

Linear in the page. Reads blocks.py; read by extract.py and features.py.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edrew_torch.news.blocks import Blocks, Flags
from edrew_torch.tree import page_title, running_sum

MAX_TITLE = 300  # characters: a longer block is no title
SEPARATORS = frozenset("|-–—·:»•/")  # part the title of the article from the name of the site


@dataclass(frozen=True)
class NceSettings:
    """Chosen on the sets trafilatura and readability of the shared articles, the benchmark not read."""

    min_prose: int = 80  # characters outside links that make text prose, whatever it stands in
    min_paragraph: int = 1  # those that make a `<p>` prose
    max_links: float = 0.4  # a block with a larger share of its characters in links is no prose, and is cut
    link_cost: float = 1.0  # what a character of a block that is no prose costs, if it is in a link
    block_cost: float = 20.0  # what each such block costs on top
    edge_cost: float = 1.0  # by how much of that cost the ends of the body are judged
    min_after_title: float = 0.5  # of the prose: if so much stands behind the headline, what stands before is none
    min_share: float = 0.7  # of the prose, that the body must keep when it is narrowed down
    max_element_links: float = 0.25  # an element of several blocks with a larger share is cut
    lead: float = 8.0  # how often prose between the headline and the body counts: the first paragraph, set apart
    min_column: float = 0.05  # of the body's prose: an element with less of its own ends no article


DEFAULT = NceSettings()


@dataclass(frozen=True, eq=False)
class Body:
    """The body of a page: one element, the run of its blocks that was looked at, and those kept."""

    node: int  # -1 if the page has no text
    start: int  # the first block of the body
    end: int  # the one behind its last
    kept: Flags  # (B,)
    is_prose: Flags  # (B,)
    page_title: str  # what `<title>` says
    title_block: int  # -1 if no block before the body is like it
    headline: int = -1  # the block most like it, wherever it stands


def find_body(blocks: Blocks, settings: NceSettings = DEFAULT) -> Body:
    """Return the body of a page; that of a page without text is empty.

    >>> from edrew_torch.news.blocks import find_blocks
    >>> from edrew_torch.parse import parse_tree
    >>> story = "<p>Tea is dear this year, they say.<p>Cake is not, and none knows why."
    >>> page = f"<title>Tea | News</title><h1>Tea</h1><div>{story}</div>Bye"
    >>> body = find_body(blocks := find_blocks(parse_tree(page)))
    >>> [text for text, kept in zip(blocks.texts, body.kept) if kept], blocks.texts[body.title_block]
    (['Tea is dear this year, they say.', 'Cake is not, and none knows why.'], 'Tea')
    """
    tree = blocks.tree
    kept = np.zeros(len(blocks), dtype=np.bool_)
    title = page_title(tree)
    if not len(blocks):
        return Body(-1, 0, 0, kept, kept, title, -1)
    own = blocks.length - blocks.link_length
    links = blocks.link_length / np.maximum(blocks.length, 1)
    enough = (own >= settings.min_prose) | (blocks.in_paragraph & (own >= settings.min_paragraph))
    is_prose = enough & (links <= settings.max_links)
    if not is_prose.any():  # nothing but short lines: the longest that is no link is as good an answer as any
        is_prose = (own == own.max()) & (own > 0)
        if not is_prose.any():
            return Body(-1, 0, 0, kept, is_prose, title, -1)
    headline = find_headline(blocks, title, links <= settings.max_links)
    prose = running_sum(np.where(is_prose, own, 0))
    if prose[-1] - prose[headline + 1] >= settings.min_after_title * prose[-1]:
        is_prose[: headline + 1] = False  # teasers, news tickers, notes on cookies
    # a page whose paragraphs are short must not lose them to what stands beside them
    block_cost = min(settings.block_cost, float(own[is_prose].max()) / 10)
    cost = block_cost + settings.link_cost * blocks.link_length
    gain = np.where(is_prose, own, -cost)
    begin, end = blocks.of_subtree
    prose, sums = running_sum(np.where(is_prose, own, 0)), running_sum(gain)
    share = prose[end] - prose[begin]
    is_element = (tree.tag >= 0) & (share > 0)
    scores = np.where(is_element, sums[end] - sums[begin], -np.inf)
    best = int(np.flatnonzero(scores == scores.max())[-1])  # the smallest of equals
    # the elements with more than half of the prose are one inside the other: the last is the deepest
    inside = is_element[best : tree.end[best]] & (share[best : tree.end[best]] >= settings.min_share * share[best])
    node = best + int(np.flatnonzero(inside)[-1])

    first, behind = best_run(np.where(is_prose, gain, settings.edge_cost * gain)[begin[node] : end[node]])
    start, stop = int(begin[node]) + first, int(begin[node]) + behind
    above = headline + 1 if 0 <= headline < start else int(begin[best])
    start -= lead_before(np.where(is_prose, settings.lead * own, -cost)[above:start])
    stop = end_of_columns(blocks, np.where(is_prose, own, 0), start, stop, settings.min_column)
    kept[start:stop] = True
    kept &= (links <= settings.max_links) & ~in_link_elements(blocks, node, gain, settings.max_element_links)
    opening = start + int(np.argmax(is_prose[start:stop]))
    title_block = headline if headline < opening else -1
    kept[: title_block + 1] = False  # what stands above the title is no part of the story, nor is the title of its body
    return Body(node, start, stop, kept, is_prose, title, title_block, headline)


def best_run(gain: np.ndarray) -> tuple[int, int]:
    """The run of values with the largest sum, as its first place and the one behind its last; values must be given.

    >>> best_run(np.array([-1, 5, -2, 4, -3]))
    (1, 4)
    """
    sums = np.concatenate([[0.0], np.cumsum(gain)])
    lowest = np.minimum.accumulate(sums[:-1])
    behind = int(np.argmax(sums[1:] - lowest)) + 1
    return int(np.flatnonzero(sums[:behind] == lowest[behind - 1])[-1]), behind


def lead_before(gain: NDArray[np.float64]) -> int:
    """How many of the last of these blocks to take on, so that they gain the most; none if they cost more.

    >>> lead_before(np.array([-9.0, 5.0, -1.0]))
    2
    """
    sums = np.cumsum(gain[::-1])
    return int(np.argmax(sums)) + 1 if len(sums) and sums.max() > 0 else 0


def end_of_columns(blocks: Blocks, prose: NDArray[np.number], start: int, stop: int, min_share: float) -> int:
    """Where the run of blocks ends if it ends with prose right below an element that has enough of it right below.

    What follows the story stands in boxes of its own: who wrote it, what to buy, how to comment.
    """
    column = np.maximum(blocks.tree.parent[blocks.owner[start:stop]], 0)
    own = prose[start:stop]
    size = np.bincount(column, own)
    is_of_story = (own > 0) & (size[column] >= min_share * own.sum())
    return start + int(np.flatnonzero(is_of_story)[-1]) + 1 if is_of_story.any() else stop


def in_link_elements(blocks: Blocks, node: int, gain: NDArray[np.float64], max_links: float) -> Flags:
    """(B,) Does it stand in an element below `node` of several blocks and many links that costs more than it gains?"""
    tree = blocks.tree
    begin, end = (bound[node + 1 : tree.end[node]] for bound in blocks.of_subtree)
    length, links = running_sum(blocks.length), running_sum(blocks.link_length)
    is_list = (tree.tag[node + 1 : tree.end[node]] >= 0) & (end - begin > 1)
    sums = running_sum(gain)
    share = (links[end] - links[begin]) / np.maximum(length[end] - length[begin], 1)
    # an article may be in one element with long lists of links
    is_list &= (share > max_links) & ((share > 0.5) | (sums[end] < sums[begin]))
    change = np.zeros(len(blocks) + 1, dtype=np.int64)
    np.add.at(change, begin[is_list], 1)
    np.subtract.at(change, end[is_list], 1)
    return np.asarray(np.cumsum(change)[:-1] > 0)


def find_headline(blocks: Blocks, title: str, is_text: Flags) -> int:
    """The block that is no link and has most words in common with `<title>`, the first of equals; -1 if none has half.

    Words in common, of all words of both: the headline wins over a menu entry, and over the name of the site.
    """
    words = words_of(title)
    best, found = 0.0, -1
    for block in np.flatnonzero(is_text & (blocks.length <= MAX_TITLE)).tolist() if words else ():
        own = words_of(blocks.texts[block])
        common = len(words & own)
        # the name of the site in `<title>` may be longer than the headline: a headline that is all there will do
        likeness = common / max(len(words | own), 1)
        if likeness > best and (likeness >= 0.5 or (common == len(own) and common >= 4)):
            best, found = likeness, block
    return found


def words_of(text: str) -> frozenset[str]:
    """The words of a title, without what parts it from the name of the site."""
    return frozenset(text.lower().split()) - SEPARATORS
