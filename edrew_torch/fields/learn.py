"""Learning fields: from values known on a few pages to rules that find them on the others.

    pages, per page {"price": nodes}   ->   fields: price by //td[… 'Price:' …]/text(), else by …; and warnings

Candidates of every kind (candidates.py) are tried on all pages given. A rule has to select true nodes and nothing else;
with `tolerance` it may miss that on a share of the pages, for labels that are not all right. What remains is ordered
by how far it is trusted: by what is known of its kind (trust.py), by the labelled pages, and by unlabelled pages, where
a good rule finds something most of the time, finds what other rules find, and finds text of the same shape.
Reads candidates.py, trust.py, field.py; called by pipeline.py.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from edrew_torch.errors import BadConfig, EdrewError
from edrew_torch.fields.candidates import Example, candidate_rules, is_label
from edrew_torch.fields.field import Field, FieldRule
from edrew_torch.fields.page import FieldPage
from edrew_torch.fields.rule import Rule
from edrew_torch.fields.shape import Shape, learn_shape
from edrew_torch.fields.trust import looks_like_label, trust
from edrew_torch.tree import Tree

MAX_RULES = 6  # of a part; of 4, 6, 8, 12 the least that is as good as more (tuning verticals)
MAX_RARE = 3  # further rules for a page that none of them reads
MAX_PARTS = 4
MAX_EXAMPLES = 40  # text nodes that rules are made from
PRIOR = 1.0  # pages that the trust in a kind of rule counts for
MIN_TRUST = 0.5
MAX_HEARD = 120  # rules that are tried on unlabelled pages …
MAX_ALIKE = 5  # … and so many with one label
VOTE = 20  # power of the trust: kinds of low trust must not outvote one of high trust
SILENT = 0.03  # of a wrong answer: none where others answer; more would cost the rules of optional fields their place
UNHEARD = 0.5  # of the trust in those that are not
RARE = 0.05  # of the pages at hand; a rule that answers on fewer, and adds nothing, is of one page's making
MAX_OTHERS = 8  # labels beside one's own
AGREED = 2.0  # weight of an unlabelled page, of all that weigh together at most …
MAX_AGREED = 6.0  # … so much

Truth = Sequence[Mapping[str, Sequence[int]]]  # per page: attribute -> its text nodes; () is known to be absent


class NoFields(EdrewError):
    """No rule can be learnt from these examples."""


@dataclass(frozen=True)
class Learnt:
    """What was learnt, and what was not."""

    fields: tuple[Field, ...]
    warnings: tuple[str, ...] = ()


def learn_fields(
    trees: Sequence[Tree],
    examples: Truth,
    unlabelled: Sequence[Tree] = (),
    tolerance: float = 0.0,
) -> Learnt:
    """Learn a field for each attribute of the examples.

    `examples` has for each tree the text nodes of the attributes that are known there; of several nodes with one text
    any may be found. No nodes: known to be absent. An attribute that is not named on a page is not judged there.
    `tolerance` is the share of the labelled pages on which a rule may be wrong, where labels are not all right.
    """
    if len(trees) != len(examples):
        raise BadConfig(f"{len(trees)} trees and examples for {len(examples)}: give one mapping for each tree.")
    pages = [FieldPage(tree, remembers=True) for tree in trees]
    return learn_from_pages(pages, examples, [FieldPage(tree, remembers=True) for tree in unlabelled], tolerance)


def learn_from_pages(
    pages: Sequence[FieldPage],
    examples: Truth,
    unlabelled: Sequence[FieldPage] = (),
    tolerance: float = 0.0,
) -> Learnt:
    """`learn_fields` for pages that are at hand as rules see them."""
    fields: list[Field] = []
    warnings: list[str] = []
    for name in dict.fromkeys(name for given in examples for name in given):
        known = [
            LabelledPage(page, tuple(given[name])) for page, given in zip(pages, examples, strict=True) if name in given
        ]
        others = [*unlabelled, *(page for page, given in zip(pages, examples, strict=True) if name not in given)]
        made = _learn(name, known, others, tolerance)
        if isinstance(made, str):
            warnings.append(made)
        else:
            fields.append(made)
    return Learnt(tuple(fields), tuple(warnings))


@dataclass(eq=False)
class LabelledPage:
    """One page with the nodes of one attribute."""

    page: FieldPage
    nodes: tuple[int, ...]
    texts: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.texts = frozenset(self.page.text(node) for node in self.nodes)


@dataclass(eq=False)
class Tried:
    """A rule with what it did on the labelled pages."""

    rule: Rule
    found: list[tuple[int, ...]]  # per labelled page
    is_right: list[bool]  # per labelled page: nothing but true nodes
    score: float = 0.0
    num_heard: int = 0  # pages without labels where it was tried …
    num_answered: int = 0  # … and where it found something

    @property
    def kind(self) -> str:
        """What it trusts in: places among siblings, a label, or the path alone."""
        steps = self.rule.steps[:-1]
        has_place = any(condition.kind == "position" for step in steps for condition in step.conditions)
        return "/place" if has_place else self.label or "/path"

    @property
    def num_right(self) -> int:
        """On how many labelled pages it found true nodes and nothing else."""
        return sum(bool(nodes) and right for nodes, right in zip(self.found, self.is_right, strict=True))

    @property
    def label(self) -> str:
        """The text that it goes by; "" for none."""
        conditions = (condition for step in self.rule.steps for condition in step.conditions)
        return next((each.value for each in conditions if each.kind in ("after", "begins", "starts")), "")


def _learn(name: str, known: Sequence[LabelledPage], others: Sequence[FieldPage], tolerance: float) -> Field | str:
    """The field, or why there is none."""
    having = [each for each in known if each.nodes]
    if not having:
        return f"field {name}: no page has an example; it is left out."
    shape = learn_shape([text for each in having for text in each.texts])
    parts: list[tuple[FieldRule, ...]] = []
    missing = {id(each): set(each.texts) for each in having}
    spared = int(tolerance * len(known))  # pages whose labels need not be met
    while sum(map(bool, missing.values())) > spared and len(parts) < MAX_PARTS:
        examples = [
            (each.page, node) for each in having for node in each.nodes if each.page.text(node) in missing[id(each)]
        ]
        tried = _try(examples[:MAX_EXAMPLES], known, tolerance)
        _score(tried, known, others, shape)
        chosen = _choose(tried, known, missing, spared)
        if not chosen:
            break
        label = next((each.label for each in chosen if looks_like_label(each.label)), "")
        beside = other_labels(label, having)
        is_sure = [each.kind in (label, "/path") for each in chosen]  # by the label, or by classes and ids alone
        rules = [each.rule if sure else each.rule.not_after(beside) for each, sure in zip(chosen, is_sure, strict=True)]
        parts.append(tuple(FieldRule(rule, round(each.score, 3)) for rule, each in zip(rules, chosen, strict=True)))
        num_missing = sum(map(len, missing.values()))
        for number, each in enumerate(known):
            if id(each) in missing:
                answer = next((one.found[number] for one in chosen if one.found[number]), ())
                missing[id(each)] -= {each.page.text(node) for node in answer}
        if sum(map(len, missing.values())) == num_missing:
            parts.pop()
            break
    if not parts:
        examples_of = "example" if len(having) == 1 else f"examples on {len(having)} pages"
        return f"field {name}: no rule selects its {examples_of} and nothing else; it is left out."
    made = Field(name, tuple(parts), shape)
    num_found = len(having) + sum(bool(made.find(page)) for page in others)
    return replace(made, share=round(num_found / (len(known) + len(others)), 3))


def _try(examples: Sequence[Example], known: Sequence[LabelledPage], tolerance: float) -> list[Tried]:
    """The candidates that are right on the labelled pages, but for the tolerance."""
    kept = []
    most_wrong = int(tolerance * len(known))
    nodes_of = [set(each.nodes) for each in known]
    for rule in candidate_rules(examples):
        found: list[tuple[int, ...]] = []
        is_right: list[bool] = []
        for each, nodes in zip(known, nodes_of, strict=True):
            selected = tuple(rule.select(each.page).tolist())
            found.append(selected)
            is_right.append(nodes.issuperset(selected))
            if len(is_right) - sum(is_right) > most_wrong:
                break
        else:
            if any(selected and right for selected, right in zip(found, is_right, strict=True)):
                kept.append(Tried(rule, found, is_right))
    return kept


def _score(tried: Sequence[Tried], known: Sequence[LabelledPage], others: Sequence[FieldPage], shape: Shape) -> None:
    """How far each rule is trusted where it answers: what is known of its kind, and what the pages say."""
    for each in tried:
        answered = [number for number, nodes in enumerate(each.found) if nodes]
        hits = 0.0
        for number in answered:
            page = known[number]
            if each.is_right[number]:
                texts = {page.page.text(node) for node in each.found[number]}
                hits += (1 + len(texts) / len(page.texts)) / 2
        on_path = fmean(len(known[number].page.on_path(each.rule.tags, each.rule.from_root)) for number in answered)
        prior = trust(each.rule, on_path, fmean(len(each.found[number]) for number in answered))
        each.score = (PRIOR * prior + hits) / (PRIOR + len(answered))
    if others and tried:
        _hear_others(tried, others, shape)


def _hear_others(tried: Sequence[Tried], others: Sequence[FieldPage], shape: Shape) -> None:
    """Let unlabelled pages have a say: a rule is as good as often as it finds what the most trusted ones find."""
    heard: list[Tried] = []
    alike: Counter[str] = Counter()
    for each in sorted(tried, key=lambda each: -each.score):
        alike[each.label] += bool(each.label)
        if alike[each.label] <= MAX_ALIKE:
            heard.append(each)
        if len(heard) == MAX_HEARD:
            break
    agreed, silent = [0.0] * len(heard), [0.0] * len(heard)
    for page in others:
        answers = [frozenset(map(page.text, each.rule.select(page).tolist())) for each in heard]
        # rules of one kind err together: they have one vote, that of the most trusted of them
        votes: dict[frozenset[str], dict[str, float]] = defaultdict(dict)
        for each, answer in zip(heard, answers, strict=True):
            if answer and all(map(shape.fits, answer)):
                kinds = votes[answer]
                kinds[each.kind] = max(kinds.get(each.kind, 0.0), each.score**VOTE)
        best = max(votes, key=lambda answer: sum(votes[answer].values()), default=None)
        for number, answer in enumerate(answers):
            heard[number].num_answered += bool(answer)
            agreed[number] += bool(answer) and answer == best
            silent[number] += best is not None and not answer
    weight = min(AGREED * len(others), MAX_AGREED) / len(others)
    for each, right, missing in zip(heard, agreed, silent, strict=True):
        each.num_heard = len(others)
        evidence = PRIOR + sum(map(bool, each.found))
        told = each.num_answered + SILENT * missing
        each.score = (each.score * evidence + weight * right) / (evidence + weight * told)
    known = set(map(id, heard))
    for each in tried:
        each.score *= 1.0 if id(each) in known else UNHEARD


def _choose(
    tried: Sequence[Tried], known: Sequence[LabelledPage], missing: Mapping[int, set[str]], spared: int
) -> list[Tried]:
    """The best rule, and others that may find something where those before them find nothing.

    First those that answer on several pages; of those with one label the best, unless it leaves labelled pages without
    an answer that another has. A rule of one page's making ("the text before it is '$24,595'") comes after them, and
    only for a page that they leave without an answer: its template may be another.
    """
    having = {number for number, each in enumerate(known) if each.nodes}
    is_optional = len(having) < len(known)
    chosen: list[Tried] = []
    labels: set[str] = set()
    covered: set[int] = set()

    def take(each: Tried, is_label_new: bool = True) -> bool:
        if (is_label_new and each.label and each.label in labels) or any(covers(o.rule, each.rule) for o in chosen):
            return False
        # a place in a table is filled by something else where the value is missing; a label is not
        if is_optional and chosen and chosen[0].label and not looks_like_label(each.label):
            return False
        labels.add(each.label)
        chosen.append(each)
        covered.update(number for number, nodes in enumerate(each.found) if nodes)
        return True

    ordered = sorted(tried, key=lambda each: -each.score)
    rare, others = [], []
    for each in ordered:
        num_pages = len(having) + each.num_heard
        if num_pages > 1 and each.num_right + each.num_answered <= max(1, RARE * num_pages):
            rare.append(each)
        elif len(chosen) >= MAX_RULES or (chosen and each.score < MIN_TRUST) or not take(each):
            others.append(each)
    for each in others:
        answers = {number for number, nodes in enumerate(each.found) if nodes and each.is_right[number]}
        if each.score >= MIN_TRUST and answers - covered:
            take(each, is_label_new=False)
    left = sorted(number for number in having - covered if missing[id(known[number])])
    for number in left if len(left) > spared else ():
        taken = 0
        for each in rare:
            if taken < MAX_RARE and each.found[number] and each.score >= MIN_TRUST:
                taken += take(each)
    return chosen


def other_labels(label: str, having: Sequence[LabelledPage]) -> list[str]:
    """The labels beside this one in its table or list: the nearest texts on its tag path that look like one.

    Where a value is missing its row is, too: what a rule of places finds there is the next row's.
    """
    found: dict[str, int] = {}  # how far away
    own = {each.page.text_before(node) for each in having for node in each.nodes}
    for each in having:
        page = each.page
        for node in each.nodes:
            if not label or page.text_before(node) != label:
                continue
            place = page.place(node) - 1
            box = page.parent[page.parent[page.above]]  # of a label in a cell: its table
            is_beside = (page.tag_paths == page.tag_paths[place]) & (box == box[place])
            for other in np.flatnonzero(is_beside).tolist():
                text = page.text(int(page.content[other]))
                if looks_like_label(text) and is_label(text):
                    found[text] = min(abs(other - place), found.get(text, len(page.content)))
    return sorted(found.keys() - own, key=lambda text: (found[text], text))[:MAX_OTHERS]


def covers(wide: Rule, narrow: Rule) -> bool:
    """Does the one select all that the other selects, by how they are written?"""
    if wide.from_root and not (narrow.from_root and len(wide.steps) == len(narrow.steps)):
        return False
    return len(wide.steps) <= len(narrow.steps) and all(
        one.tag == other.tag and set(one.conditions) <= set(other.conditions)
        for one, other in zip(reversed(wide.steps), reversed(narrow.steps), strict=False)
    )
