"""The figures of README.md: what stands between its comments, rendered from the committed csv by overview.py.

BLOCKS["in short"]()   ->   Markdown: the honest picture in a paragraph, for the first screen
BLOCKS["results"]()    ->   the short answer as a table, then topic by topic, each with its command and its page
"""

import re
import textwrap

import figures
from figures import NOTHING, lookup, shown, signed

ENCODERS = ("lookup", "elmo", "bert", "glove", "native")
RECORD_SETS = ("tbdw", "zhao1", "zhao2", "zhao3", "shops")
RECORD_METHODS = {
    "auto": "`auto` (default): what all three propose",
    "signal": "`signal`",
    "wrapper": "`wrapper`",
    "equivalence": "`equivalence`",
    "signal, plain, lazy": "`signal.plain=true`, Velloso's thesis",
    "wrapper, plain": "`wrapper.plain=true`, Moura's method",
    "equivalence, plain": "`equivalence.plain=true`, the method of 2011",
}
PEERS = {
    "Velloso's C++, lazy": "Velloso's own C++ program",
    "pydepta (ported to Python 3)": "pydepta",
    "mdr (ported)": "MDR",
}


def results() -> str:
    """All topics."""
    topics = (short_answer, protocols, encoders, attributes, recipes, examples, articles, records, wrappers)
    blocks = "\n".join(topic() for topic in topics).split("\n\n")
    return "\n\n".join(block if block.startswith("|") else wrapped(block) for block in blocks) + "\n"


def in_short() -> str:
    """What a published 97 is worth, what unseen sites give, and what enriched nodes add."""
    seen, unseen = (max(float(encoder(name, model).split()[0]) for model in ENCODERS) for name in ("pages", "sites"))
    enriched, nothing = figures.enriched("pages").split()[0], protocol("rows", "always_noise", "weighted F1").split()[0]
    judged, published, strict = (
        figures.attributes("judge", rule).split()[0] for rule in ("nodes", "published", "strict")
    )
    (markuplm,) = lookup("attributes/paper", "f1", {"k": "5", "model": "MarkupLM-large"})
    by_example = figures.by_example(1).split()[0]
    told = f"""**In short**, F1 in % on real pages (SWDE). Which text nodes of a page are relevant: the thesis behind
EDREW reports 97; a model that never finds anything has {nothing} where pages are mixed and the noise counts. By tag
paths alone, its way, {seen} is found on new pages of known sites and {unseen} on new sites; with the text, labels and
markup around them {enriched} and {judged}. Which attribute a value is, on new sites: {published} as the literature
counts (MarkupLM {markuplm}), {strict} without the leaks of its protocol. From one labelled page of a site, its other
pages are read with {by_example}. [All results](#results), [every table of the documents](experiments/README.md)."""
    return wrapped(told) + "\n"


BLOCKS = {"in short": in_short, "results": results}


def wrapped(text: str) -> str:
    """Lines as long as the README's; not broken within a command, nor at the hyphens of names and ranges."""
    whole = re.sub("`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(text.split()))
    return textwrap.fill(whole, 120, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)) + "\n"


def protocol(name: str, model: str, column: str = "F1") -> str:
    """One figure of the trivial models."""
    return shown(lookup("protocols/results", column, {"protocol": name, "model": model}))


def encoder(name: str, model: str) -> str:
    """One figure of the encoders."""
    return shown(lookup("encoders/results", "F1", {"protocol": name, "model": model}))


def short_answer() -> str:
    """Which protocol gives 97, what unseen sites give, what enriched nodes add."""
    (published,) = lookup("attributes/paper", "f1", {"k": "5", "model": "MarkupLM-large"})
    best = max(ENCODERS, key=lambda model: float(encoder("sites", model).split()[0]))
    seen = max(ENCODERS, key=lambda model: float(encoder("pages", model).split()[0]))
    balanced = "`rows-balanced`", protocol("rows-balanced", "lookup")
    nothing, alone = protocol("rows", "always_noise", "weighted F1"), figures.unseen("page by page")
    rows = [
        ("nodes shuffled, F1 weighted by class: a model that never finds anything", "`rows`", nothing),
        ("the same nodes and a lookup of the reTPS, F1 of the relevant class", "`rows`", protocol("rows", "lookup")),
        ("as many noise nodes as relevant ones, a lookup of the reTPS", *balanced),
        (f"unseen pages of known sites, reTPS alone (best: {seen})", "`pages`", encoder("pages", seen)),
        ("the same, enriched nodes", "`pages`", figures.enriched("pages")),
        (f"unseen sites, reTPS alone (best: {best})", "`sites`", encoder("sites", best)),
        ("the same, enriched nodes: weights alone", "`sites`", figures.enriched("sites")),
        ("the same, enriched nodes, judged", "`sites`", figures.attributes("judge", "nodes")),
        (
            f"which attribute, unseen sites, as the literature counts (MarkupLM {published})",
            *("`swde-published`", figures.attributes("judge", "published")),
        ),
        ("the same without the leaks of that protocol", "`swde-strict`", figures.attributes("judge", "strict")),
        ("the product on unseen sites, page by page", "a third of the sites", alone),
        ("values from one labelled page, on the site's other pages", "other pages", figures.by_example(1)),
    ]
    return f"""**The short answer**, on real pages (SWDE, 72 sites), %. A published 97 is what a model that never finds
anything has where nodes are shuffled and the noise, 98 % of them, counts; on unseen sites the reTPS alone gives next to
nothing, and what else is seen of a node makes the difference. [All tables and figures of the documents, theirs and
ours](experiments/README.md): `python experiments/overview.py`.

{table(("what is asked", "protocol", "F1"), [row for row in rows if row[-1] != NOTHING])}"""


def protocols() -> str:
    """One trivial model under each protocol."""
    names = {
        "rows": "`rows`: nodes shuffled",
        "rows-balanced": "`rows-balanced`: as many noise rows as relevant ones",
        "pages": "`pages`: unseen pages of seen sites",
        "sites": "`sites`: unseen sites",
    }
    rows = [
        (
            *(told, protocol(name, "always_noise", "weighted F1")),
            *(protocol(name, "lookup", column) for column in ("weighted F1", "F1")),
        )
        for name, told in names.items()
    ]
    missed = protocol("pages", "lookup", "F1, lost values missed")
    head = ("protocol", "weighted F1, always noise", "weighted F1, lookup", "F1 of the relevant class, lookup")
    return f"""**What a published 97 is worth.** A lookup of the exact reTPS (profile `thesis`), mean ± standard
deviation over seeds; `python experiments/protocols/run.py`, [all rows](experiments/protocols/results.md).

{table(head, rows)}
{signed("results", "protocols", "seeds:1-3")}. F1 is over the nodes; with the true values that the profile loses
counted as missed, `pages` has {missed}.
"""


def encoders() -> str:
    """F1 of the encoders."""
    rows = []
    for name in ("rows-balanced", "pages", "sites"):
        cells = [encoder(name, model) for model in ENCODERS]
        best = max(cells, key=lambda cell: float(cell.split()[0]))
        rows.append((f"`{name}`", *(f"**{each}**" if each == best else each for each in cells)))
    return f"""**Encoders** on the same pages, F1 of the relevant class; `python experiments/encoders/run.py`,
[all rows](experiments/encoders/results.md).

{table(("protocol", *ENCODERS), rows)}
{signed("results", "encoders", "seeds:1-3")}, small embedded weights, frozen. ELMo before BERT before GloVe on rows, as
the thesis has it; but a mean over elements forgets most of the path, and on known sites all three stay below a lookup.
"""


def attributes() -> str:
    """Which attribute, on unseen sites."""
    own_labels = "k seed sites of the vertical"
    published = {row["model"]: row["f1"] for row in figures.lines_of("attributes/paper", {"k": "5"})}
    rows = [(f"{name}, published", f1, "-", own_labels) for name, f1 in published.items() if "rendered" not in name]
    for model, labels in (("judge", f"{own_labels}; seven other verticals"), ("weights", own_labels)):
        rows.append((f"`{model}`", *(figures.attributes(model, rule) for rule in ("published", "strict")), labels))
    rows.sort(key=lambda row: -float(row[1].split()[0]) if row[1] != NOTHING else 0)
    ways = ("page by page", "site together", "wrapper of 20 pages")
    product = ", ".join(f"{way} {figures.unseen(way)}" for way in ways if figures.unseen(way) != NOTHING)
    told = (
        f"\nThe product on unseen sites ([unseen.md](experiments/attributes/unseen.md)): {product}." if product else ""
    )
    head = (
        "k = 5, mean of 8 verticals",
        "page F1, `swde-published`",
        "without its leaks, `swde-strict`",
        "labels used",
    )
    return f"""**Attributes on unseen sites**; `python experiments/attributes/run.py`,
[all rows](experiments/attributes/results.md).
Which evidence helps: `python experiments/enriched/run.py`, [by group](experiments/enriched/results.md).

{table(head, rows)}
{signed("results", "attributes")}. The literature's figures are of 80 sites with up to 2,000 pages, ours of the 72
sites with 80 pages at hand.{told}
"""


def recipes() -> str:
    """Recipes, as far as they are measured."""
    models = ("all evidence", "without markup", "JSON-LD alone")
    if figures.recipe(models[0]) == NOTHING:
        return "**Recipes**: not measured yet; `python experiments/recipe/run.py`.\n"
    told = ", ".join(f"{model} {figures.recipe(model)}" for model in models)
    return f"""**Recipes** of sites that nobody trained on, F1 of a page's texts, mean of four attributes
(`python experiments/recipe/run.py`; [by attribute](experiments/recipe/results.md)): {told}.
{signed("results", "recipe")}.
"""


def examples() -> str:
    """Values by example."""
    numbers = (1, 2, 3, 5)
    every, tested = (", ".join(figures.by_example(n, part).split()[0] for n in numbers) for part in (False, True))
    plain = figures.by_example(1, way="absolute XPath of the first page").split()[0]
    parity = figures.lines_of("by_example/parity", {})
    same, compared = (sum(int(row[name]) for row in parity) for name in ("same", "compared"))
    return f"""**Values by example**, page F1 on the other pages of 72 SWDE sites after 1, 2, 3, 5 labelled pages
(`python experiments/by_example/run.py`; [all rows](experiments/by_example/results.md)): {every}
({tested} on the five verticals that nothing was tuned on); the absolute XPath of the first page {plain}. The exported
XPaths give the same values in parsel on {same:,} of {compared:,} pages and fields.
{signed("results", "by_example", "seeds:1-3")}.
"""


def articles() -> str:
    """Article text beside other tools."""
    rows = {row["tool"]: row for row in figures.lines_of("news/results", {"set": "benchmark"})}
    learned = rows.pop("nce, learned step")
    plain = rows.pop("nce")
    told = f"{shown([learned['shingles F1']])} ± {shown([learned['±']])}, plain `nce` {shown([plain['shingles F1']])}"
    others = [(name, row["shingles F1"]) for name, row in rows.items() if name != "all visible text"]
    beside = ", ".join(f"{name} {shown([f1])}" for name, f1 in others[:5])
    segments = {row["tool"]: row["F1"] for row in figures.lines_of("news/segments", {})}
    ours, theirs = shown([segments["nce, learned step"]]), shown([segments["trafilatura 2.3.1"]])
    return f"""**Articles**, F1 of four-word shingles on {learned["pages"]} pages of the public benchmark, by folds of
sites (`python experiments/news/run.py`; [all tools and sets](experiments/news/results.md)): learned step {told};
beside {beside}. Segments of 660 pages: learned step {ours}, trafilatura {theirs}.
{signed("results", "news", "seeds:1-3")}.
"""


def records() -> str:
    """Records of list pages, the test sites."""
    rows = []
    for method, told in RECORD_METHODS.items():
        where = {"part": "test sites", "method": method}
        found = {row["set"]: row for row in figures.lines_of("records/results", where)}
        rows.append((told, *(shown([found[name]["F1"]]) for name in RECORD_SETS), milliseconds(found)))
    for row in figures.lines_of("records/peers", {}):
        if row["tool"] in PEERS:
            f1 = [shown([figure]) for name, figure in row.items() if "(" in name]
            rows.append((PEERS[row["tool"]], *f1, "-", row["ms a page, median"]))
    ((quiet, pages),) = (
        (row["with a list"], row["pages"]) for row in figures.lines_of("records/quiet", {"method": "auto"})
    )
    return f"""**Records**, F1 of the main list on sites that nothing was trained on
(`python experiments/records/run.py`; [all rows, and how unseen they were](experiments/records/results.md)), beside what
other tools reached on all pages of a set:

{table(("", *RECORD_SETS, "ms a page"), rows)}
{signed("results", "records", "split:a third of the sites of each set, seed 1")}. Times are medians of the first four
sets, those of other tools of an earlier and slower run (`make bench` has ratios); pages of shops are larger. {quiet} of
{pages} pages without a list get one by `auto`.
"""


def milliseconds(found: dict[str, dict[str, str]]) -> str:
    """The least and the greatest median of the first four sets."""
    times = [float(found[name]["ms a page, median"]) for name in RECORD_SETS[:4]]
    return "-".join(dict.fromkeys(f"{time:.0f}" for time in (min(times), max(times))))


def wrappers() -> str:
    """Wrappers learnt from two pages."""
    found = figures.lines_of("wrappers/results", {"set": "shops"})
    f1 = {(row["site"], row["pages learnt from"]): float(row["F1"]) for row in found}
    sites = sorted({site for site, _ in f1})
    told = ", ".join(f"{shown([f1[site, '2']])} {site}" for site in sites)
    mean, alone = (shown([sum(f1[site, number] for site in sites) / len(sites)]) for number in ("2", "0"))
    ratios = [float(row["ratio"]) for row in found if row["pages learnt from"] == "2"]
    unseen = " and ".join(sorted({row["site"] for row in found if row["part"] == "test"}))
    return f"""**Wrappers** learnt from 2 pages of a shop and applied to its other pages
(`python experiments/wrappers/run.py`; [all rows](experiments/wrappers/results.md)): F1 {told}, {mean} on average; every
page by `auto` on its own {alone}. Nothing was trained on {unseen}. A page is read {min(ratios):.0f} to
{max(ratios):.0f} times as fast as one is learnt from. {signed("results", "wrappers", "seeds:1-3")}. The documents'
own evaluations:
[Moura 2018](experiments/jober/results.md), [Ribeiro and Miranda 2011](experiments/equivalence/results.md),
[Velloso 2020](experiments/signal/records/results.md).
"""
