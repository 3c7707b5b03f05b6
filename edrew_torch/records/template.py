"""Templates: what the records of a list have in common, as one tree with options and repetitions.

    <li><a>x</a><p>y</p></li>  <li><a>z</a></li>   ->   li(a(#title) p(#text)?)

Records are merged by partial tree alignment (Zhai and Liu 2005): the largest is the seed; each other one is matched
with it (simple tree matching, equal classes preferred), and what has no counterpart is put in beside its neighbours.
What not every record has is optional; alike neighbours whose number varies are one repeated part (G-STM's lists).
A record of another page is matched with the template in the same way; its texts and attributes then fall into columns.
Reads tree_match.py and sequence.py; read by wrapper.py.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from edrew_torch.records.selector import classes_of, tag_of
from edrew_torch.records.sequence import PageSequence
from edrew_torch.records.shapes import TEXT_LABEL, Shapes
from edrew_torch.records.tree_match import TreeMatcher

RECORD_LABEL = "#record"  # above the nodes of a record
ATTRIBUTES = ("href", "src", "title", "datetime", "alt")  # those that hold data
MAX_DEPTH = 100  # levels of a record; what lies deeper is left out
MAX_NODES = 2_000  # of a template
MAX_PAIRS = 100_000  # of nodes that are compared for one record; real ones have some hundreds
MAX_SHAPES = 300  # distinct records that are merged, the most frequent
SAME_CLASS = 0.5  # what equal classes add to a pair of nodes
CELLS = ("td", "th")  # alike neighbours that are columns of a table, not a list

Record = tuple[int, int]


@dataclass(eq=False)
class TemplateNode:
    """A node that records have, or some of them, or several times."""

    tag: str
    classes: tuple[str, ...] = ()
    optional: bool = False
    repeat: bool = False
    children: list["TemplateNode"] = field(default_factory=list)
    column: str = ""  # of a text node
    attributes: dict[str, str] = field(default_factory=dict)  # attribute -> its column
    count: int = 0  # records that have it, while the template is made

    def walk(self) -> Iterator["TemplateNode"]:
        """This node and all below it, in order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def arrays(self) -> tuple[list["TemplateNode"], list[list[int]]]:
        """All nodes in order, and the numbers of each one's children."""
        nodes = list(self.walk())
        number = {id(node): place for place, node in enumerate(nodes)}
        return nodes, [[number[id(child)] for child in node.children] for node in nodes]

    def grammar(self) -> str:
        """The template as an expression: `li(a(title) p(text)?)`. Its depth is bounded."""
        if self.tag == TEXT_LABEL:
            inside = self.column or "text"
        else:
            below = " ".join(child.grammar() for child in self.children)
            inside = f"{self.tag}({below})" if below else self.tag
        return inside + ("+" if self.repeat else "") + ("?" if self.optional else "")


Fitted = list[tuple[TemplateNode, int]]  # nodes of a template, and the places that they fit


def align_record(template: TemplateNode, page: PageSequence, record: Record) -> Fitted:
    """Return which node of the template each place of a record fits; places that fit none are not in it."""
    nodes, below = template.arrays()
    tops, children = _record_children(page, record)
    tag = {place: tag_of(page, place) for place in children}
    # top down: pairs of nodes with equal tags under such pairs; then their weights from the leaves up
    pairs = [(0, -1)]
    for t, p in pairs:
        for child in tops if p < 0 else children[p]:
            if len(pairs) < MAX_PAIRS:
                pairs.extend((c, child) for c in below[t] if nodes[c].tag == tag[child])
    weight: dict[tuple[int, int], float] = {}
    choice: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for t, p in reversed(pairs):
        theirs = tops if p < 0 else children[p]
        total, matched = _align(nodes, below[t], theirs, weight)
        is_same = p >= 0 and bool(nodes[t].classes) and set(nodes[t].classes).issubset(classes_of(page, p))
        weight[t, p] = 1 + total + SAME_CLASS * is_same
        choice[t, p] = matched
    fitted: Fitted = []
    stack = [(0, -1)]
    while stack:
        t, p = stack.pop()
        if p >= 0:
            fitted.append((nodes[t], p))
        stack.extend(choice[t, p])
    return sorted(fitted, key=lambda pair: pair[1])


def _record_children(page: PageSequence, record: Record) -> tuple[list[int], dict[int, list[int]]]:
    """The top places of a record and the children of each place in it, as deep as templates go."""
    start, end = record
    tops: list[int] = []
    children: dict[int, list[int]] = {}
    parents = page.parent[start:end].tolist()
    depths = page.depth[start:end].tolist()
    deepest = depths[0] + MAX_DEPTH if depths else 0
    for place, parent, depth in zip(range(start, end), parents, depths, strict=True):
        if depth > deepest:
            continue
        children[place] = []
        if parent in children:
            children[parent].append(place)
        else:
            tops.append(place)
    return tops, children


def _align(
    nodes: Sequence[TemplateNode], ours: Sequence[int], theirs: Sequence[int], weight: dict[tuple[int, int], float]
) -> tuple[float, list[tuple[int, int]]]:
    """The best pairs of children, in order; one that is repeated may have several."""
    if not ours or not theirs:
        return 0.0, []
    table = [[0.0] * (len(theirs) + 1)]
    for c in ours:
        above, here = table[-1], [0.0]
        is_repeated = nodes[c].repeat
        for j, d in enumerate(theirs):
            best = max(above[j + 1], here[j])
            gain = weight.get((c, d))
            if gain is not None:
                best = max(best, above[j] + gain, here[j] + gain if is_repeated else 0.0)
            here.append(best)
        table.append(here)
    pairs = []
    i, j = len(ours), len(theirs)
    while i and j:
        c, d = ours[i - 1], theirs[j - 1]
        gain = weight.get((c, d))
        if gain is not None and table[i][j] == table[i - 1][j - 1] + gain:
            pairs.append((c, d))
            i, j = i - 1, j - 1
        elif gain is not None and nodes[c].repeat and table[i][j] == table[i][j - 1] + gain:
            pairs.append((c, d))
            j -= 1
        elif table[i][j] == table[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return table[-1][-1], pairs


def record_key(page: PageSequence, record: Record) -> tuple[bytes, bytes]:
    """Equal for two records that have the same nodes with the same styles, on any pages: they fit a template alike."""
    start, end = record
    return page.look_hash[start:end].tobytes(), (page.parent[start:end] - start).clip(-1).tobytes()


def make_template(records: Sequence[tuple[PageSequence, Record]]) -> TemplateNode:
    """Merge records into one template."""
    times: Counter[tuple[bytes, bytes]] = Counter()
    example: dict[tuple[bytes, bytes], tuple[PageSequence, Record]] = {}
    for page, record in records:
        key = record_key(page, record)
        times[key] += 1
        example.setdefault(key, (page, record))
    # the largest first: it is the seed, and others have little to add
    kinds = sorted(times.most_common(MAX_SHAPES), key=lambda item: -(example[item[0]][1][1] - example[item[0]][1][0]))
    template = TemplateNode(RECORD_LABEL)
    num_nodes = 1
    for key, number in kinds:
        page, record = example[key]
        fitted = align_record(template, page, record)
        num_nodes += _merge(template, page, record, fitted, number, MAX_NODES - num_nodes)
    total = sum(number for _, number in kinds)
    for node in template.walk():
        node.optional = node.count < total and node is not template
    _collapse_lists(template)
    # an option in an option that is there whenever the outer one is, is none
    for node in template.walk():
        for child in node.children:
            child.optional = child.count < (node.count if node is not template else total)
    return template


def _merge(template: TemplateNode, page: PageSequence, record: Record, fitted: Fitted, number: int, room: int) -> int:
    """Count what the record has in common with the template, and put in what it has more; return how many nodes."""
    node_of = {place: node for node, place in fitted}
    tops, children = _record_children(page, record)
    added = 0
    stack: list[tuple[TemplateNode, list[int]]] = [(template, tops)]
    while stack:
        parent, places = stack.pop()
        left = -1  # the place among the template's children that the last one met has
        for place in places:
            node = node_of.get(place)
            if node is None:
                if added >= room:
                    continue
                node = TemplateNode(tag_of(page, place), tuple(classes_of(page, place)))
                parent.children.insert(left + 1, node)
                added += 1
            else:
                node.classes = tuple(each for each in node.classes if each in classes_of(page, place))
            node.count += number
            left = parent.children.index(node, max(left, 0))
            stack.append((node, children[place]))
    return added


def _collapse_lists(template: TemplateNode) -> None:
    """Make one repeated node of alike neighbours whose number varies from record to record."""
    shapes = Shapes()
    shape_of: dict[int, int] = {}
    nodes = list(template.walk())
    for node in reversed(nodes):  # children before parents
        shape_of[id(node)] = shapes.add(node.tag, tuple(shape_of[id(child)] for child in node.children))
    matcher = TreeMatcher(shapes, tolerant=True)
    for node in nodes:
        if len(node.children) < 3:
            continue
        shape = shape_of[id(node)]
        matcher.match(shape, shape)
        string = matcher.level(shape, shape).string_a
        kept: list[TemplateNode] = []
        numbered = zip(string, node.children, strict=True)
        for _, group in groupby(numbered, key=lambda pair: (pair[0], pair[1].classes)):
            run = [child for _, child in group]
            # at least three lengths: of two, one is an optional field
            if run[0].tag not in (*CELLS, TEXT_LABEL) and len({child.count for child in run}) >= 3:
                run = [max(run, key=lambda child: child.count)]
                run[0].repeat = True
            kept.extend(run)
        node.children = kept


def fit_of(template: TemplateNode, fitted: Fitted, num_places: int) -> float:
    """How well a record fits: F of the places that fit, and of the nodes that every record has."""
    if not fitted:
        return 0.0
    found = {id(node) for node, _ in fitted}
    needed, met = 0, 0
    stack = list(template.children)
    while stack:
        node = stack.pop()
        is_there = id(node) in found
        if is_there or not node.optional:
            needed += 1
            met += is_there
            stack.extend(node.children)
    precision, recall = len(fitted) / num_places, met / max(needed, 1)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
