"""Pages that repeat each other, and where relevant content stands: table 4 and figure 13 of the thesis.

    python experiments/edrew/unique/run.py            # 5,760 pages of SWDE: a minute on 1 core
    python experiments/edrew/unique/run.py --quick    # the embedded sample, prints: ten seconds

Table 4 counts the pages that differ in their elements, by an MD5 "of each element of the pages"; of which elements it
does not say. So they are counted here in six ways, from the strictest to the laxest; the first is what `unique_pages`
of this project means. Figure 13 is the position class of the element that holds a node: where it opens, in % of all
that open, down to the next Fibonacci number. Writes results.csv (table 4), classes.csv and figure_13 (the figure) and
results.md beside this file; what is there is not measured again. `paper.csv`: the published table.
"""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.prepared import PreparedData
from edrew_torch.measured import Measured, read_table
from edrew_torch.plots import save_figure
from edrew_torch.profile import PROFILES
from edrew_torch.report import Report, as_markdown, as_rich
from edrew_torch.retps import FIBONACCI

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import node_runs  # noqa: E402

WAYS = (
    "set of reTPS",
    "reTPS without class",
    "elements",
    "elements without class",
    "tag names",
    "reTPS of relevant nodes",
)
ZONES = ("before 21", "21 to 55", "after 55")
MEASURED = Measured(HERE, ("vertical", "sites", "pages", *WAYS))
CLASSES = Measured(HERE, ("vertical", "class", "relevant", "noise"), "classes")
Row = dict[str, str]


def main() -> None:
    """Count, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        data = node_runs.load_quick()
        counts = Report("Unique pages of the sample", MEASURED.columns, tuple(count_pages(data)), data.checksum)
        classes = CLASSES.as_rows(count_classes(data))
        for report in (counts, zone_table(classes, data.checksum)):
            Console().print(as_rich(report))
        return
    if not (MEASURED.file.exists() and CLASSES.file.exists()):
        data = load_data("swde", PROFILES["thesis"], root=node_runs.DATA / "swde", processes=1)
        MEASURED.replace(count_pages(data), data.checksum)
        CLASSES.replace(count_classes(data), data.checksum)
    draw()
    MEASURED.write(render())
    print(render())


# --- table 4 --------------------------------------------------------------------------------------------------------


def count_pages(data: PreparedData) -> list[tuple[str | int, ...]]:
    """Sites, pages and unique pages of each vertical, in each way."""
    num_specials, num_classes = len(data.vocabulary.specials), len(FIBONACCI)
    is_tag = data.rows >= num_specials
    bare = np.where(is_tag, (data.rows - num_specials) // num_classes + num_specials, data.rows)  # (U, T) no class
    _, bare_row = np.unique(bare, axis=0, return_inverse=True)
    bare_row = bare_row.reshape(-1)
    names = np.where(is_tag, bare, 0)
    relevant = data.relevant
    seen: dict[tuple[str, str], set[bytes]] = {}
    ends = np.searchsorted(data.page, np.arange(len(data.pages) + 1))
    for number, page in enumerate(data.pages):
        nodes = slice(ends[number], ends[number + 1])
        rows = np.unique(data.row[nodes])
        of_way = (
            rows,
            bare_row[rows],
            data.rows[rows],
            bare[rows],
            names[rows],
            data.row[nodes][relevant[nodes]],
        )
        for way, things in zip(WAYS, of_way, strict=True):
            seen.setdefault((page.vertical, way), set()).add(digest(things))
    sites = {vertical: {page.site for page in data.pages if page.vertical == vertical} for vertical in data.verticals}
    pages = Counter(page.vertical for page in data.pages)
    return [
        (vertical, len(sites[vertical]), pages[vertical], *(len(seen[vertical, way]) for way in WAYS))
        for vertical in data.verticals
    ]


def digest(things: NDArray[np.int32]) -> bytes:
    """The MD5 of a set."""
    return hashlib.md5(np.unique(things).astype(np.int64).tobytes()).digest()


def page_table(rows: Sequence[Row], sign: str) -> Report:
    """Theirs and ours."""
    lines = []
    for theirs in read_table(HERE / "paper.csv"):
        for mine in (row for row in rows if row["vertical"] == theirs["vertical"]):
            counts = (int(mine[way]) for way in WAYS)
            published = f"{theirs['unique pages']} of {theirs['pages']}"
            lines.append((theirs["vertical"], published, int(mine["pages"]), *counts))
    totals = (sum(int(row[name]) for row in rows) for name in ("pages", *WAYS))
    published = [sum(int(row[name]) for row in read_table(HERE / "paper.csv")) for name in ("unique pages", "pages")]
    lines.append(("all", f"{published[0]} of {published[1]}", *totals))
    columns = ("vertical", "published, 10 sites", "pages at hand, 9 sites", *WAYS)
    return Report("Table 4: unique pages, by what must differ", columns, tuple(lines), sign)


# --- figure 13 ------------------------------------------------------------------------------------------------------


def count_classes(data: PreparedData) -> list[tuple[str, int, int, int]]:
    """How many nodes of each vertical stand in each position class; a node in no element at all has none."""
    num_specials, num_classes = len(data.vocabulary.specials), len(FIBONACCI)
    is_tag = data.rows >= num_specials
    own = data.rows[np.arange(len(data.rows)), is_tag.argmax(axis=1)]  # of the innermost element
    place = np.where(is_tag.any(axis=1), (own - num_specials) % num_classes, -1)[data.row]
    vertical = np.array([data.verticals.index(page.vertical) for page in data.pages])[data.page]
    lines = []
    for number, name in enumerate(data.verticals):
        for index, fibonacci in enumerate(FIBONACCI.tolist()):
            chosen = (vertical == number) & (place == index)
            num_relevant = int(data.relevant[chosen].sum())
            lines.append((name, fibonacci, num_relevant, int(chosen.sum()) - num_relevant))
    return lines


def shares(rows: Sequence[Row], name: str) -> list[float]:
    """The share of the relevant or the noise nodes in each class."""
    counts = [sum(int(row[name]) for row in rows if int(row["class"]) == fibonacci) for fibonacci in FIBONACCI.tolist()]
    return [count / max(sum(counts), 1) for count in counts]


def class_table(rows: Sequence[Row], sign: str) -> Report:
    """Each class, all verticals together."""
    lines = []
    for place, fibonacci in enumerate(FIBONACCI.tolist()):
        relevant, noise = (
            sum(int(row[name]) for row in rows if int(row["class"]) == fibonacci) for name in ("relevant", "noise")
        )
        rate = relevant / max(relevant + noise, 1)
        shown = (f"{100 * shares(rows, name)[place]:.1f}" for name in ("relevant", "noise"))
        lines.append((str(fibonacci), relevant, noise, *shown, f"{100 * rate:.2f}"))
    columns = ("class", "relevant nodes", "noise nodes", "% of the relevant", "% of the noise", "relevant in 100")
    return Report("Figure 13: position class of relevant nodes, beside noise", columns, tuple(lines), sign)


def zone(row: Row) -> str:
    """On which side of the text's two borders a class lies."""
    return ZONES[0] if int(row["class"]) < 21 else ZONES[1] if int(row["class"]) <= 55 else ZONES[2]


def rate(rows: Sequence[Row], name: str) -> float:
    """How many of a hundred nodes of a zone are relevant."""
    relevant, noise = (sum(int(row[each]) for row in rows if zone(row) == name) for each in ("relevant", "noise"))
    return 100 * relevant / max(relevant + noise, 1)


def zone_share(rows: Sequence[Row], name: str, of: str) -> float:
    """How many of a hundred relevant or noise nodes stand in a zone."""
    total = sum(int(row[of]) for row in rows)
    return 100 * sum(int(row[of]) for row in rows if zone(row) == name) / max(total, 1)


def zone_table(rows: Sequence[Row], sign: str) -> Report:
    """The text's claim, vertical by vertical."""
    lines = []
    for vertical in (*dict.fromkeys(row["vertical"] for row in rows), "all"):
        mine = [row for row in rows if vertical in (row["vertical"], "all")]
        where = (f"{zone_share(mine, name, 'relevant'):.1f}" for name in ZONES)
        rates = (f"{rate(mine, name):.2f}" for name in ZONES)
        lines.append((vertical, *where, *rates))
    columns = ("vertical", *(f"% of the relevant {name}" for name in ZONES), *(f"relevant in 100, {n}" for n in ZONES))
    return Report("Is content below class 21 and above 55 less relevant?", columns, tuple(lines), sign)


def draw() -> None:
    """Figure 13, and the same as a rate."""
    rows = CLASSES.rows()
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(FIBONACCI))
    for number, (name, color) in enumerate((("relevant", "tab:green"), ("noise", "tab:red"))):
        percent = [100 * share for share in shares(rows, name)]
        axes.bar(places + (number - 0.5) * 0.4, percent, 0.4, color=color, label=f"{name} nodes")
    axes.set_xticks(places, [str(number) for number in FIBONACCI.tolist()])
    axes.set_xlabel("position class")
    axes.set_ylabel("% of the nodes of the kind")
    axes.grid(alpha=0.3, axis="y")
    axes.legend()
    save_figure(figure, HERE / "figure_13")


# --- the page -------------------------------------------------------------------------------------------------------


def render() -> str:
    """All tables and their notes."""
    rows, sign = MEASURED.rows(), MEASURED.sign("all pages")
    classes, classes_sign = CLASSES.rows(), CLASSES.sign("all pages")
    parts = [page_table(rows, sign), class_table(classes, classes_sign), zone_table(classes, classes_sign)]
    return "\n".join(map(as_markdown, parts)) + NOTES.format(**figures())


def figures() -> dict[str, str]:
    """What verdicts.csv and the notes name."""
    rows, classes = MEASURED.rows(), CLASSES.rows()
    theirs = {row["vertical"]: int(row["unique pages"]) for row in read_table(HERE / "paper.csv")}
    named = {}
    for way in WAYS:
        more = [row["vertical"] for row in rows if int(row[way]) > theirs[row["vertical"]]]
        named[f"more by {way}"] = ", ".join(more) or "none"
        named[f"number more by {way}"] = str(len(more))
        named[f"all by {way}"] = str(sum(int(row[way]) for row in rows))
        named[f"verticals by {way}"] = ", ".join(f"{row['vertical']} {row[way]}" for row in rows)
    for name in ZONES:
        named[f"relevant {name}"] = f"{zone_share(classes, name, 'relevant'):.1f}"
        named[f"noise {name}"] = f"{zone_share(classes, name, 'noise'):.1f}"
        named[f"rate {name}"] = f"{rate(classes, name):.2f}"
    verticals = dict.fromkeys(row["vertical"] for row in classes)
    for name in (ZONES[0], ZONES[2]):
        of = {vertical: [row for row in classes if row["vertical"] == vertical] for vertical in verticals}
        less = [vertical for vertical, mine in of.items() if rate(mine, name) < rate(mine, ZONES[1])]
        named[f"less {name}"] = f"{len(less)} of {len(of)} verticals"
        named[f"not less {name}"] = ", ".join(vertical for vertical in of if vertical not in less) or "none"
    return named


NOTES = """
`python experiments/edrew/unique/run.py`. Figure 13: [PNG](figure_13.png), [SVG](figure_13.svg).

- Every page at hand is one of theirs: 80 of each of 72 of their 80 sites. So a way of counting that finds more unique
  pages here than they found in all cannot be theirs. The set of the reTPS (our `unique_pages`) does so in
  {number more by set of reTPS} of 8 verticals, elements without class in {number more by elements without class}
  ({more by elements without class}), tag names alone in {number more by tag names} ({more by tag names}). Theirs is
  laxer than ours, and what gave 27 pages in nbaplayer none of these ways explains.
- Ours stays as it is, since it loses nothing: a page that is left out has just the reTPS of one that is kept. With 80
  pages a site in place of up to 2,000 fewer pages repeat each other, too: {all by set of reTPS} of 5,760 are unique.
- Elements and tag names are those on the paths of nodes with content, cut to 20 elements, as the reTPS has them.
- Figure 13: {relevant 21 to 55} % of the relevant nodes stand in the classes 21, 34 and 55, but these reach from 21 to
  89 % of the page and hold {noise 21 to 55} % of the noise, too. Above 55 the text's claim holds:
  {rate after 55} of 100 nodes are relevant there against {rate 21 to 55} between, less in {less after 55} (not in
  {not less after 55}). Below 21 it does not: {rate before 21} of 100, less than between in {less before 21} only
  (not in {not less before 21}).
"""


if __name__ == "__main__":
    main()
