"""Single figures of the committed csv, as they are quoted elsewhere. Read by overview.py and readme.py.

    lookup("encoders/results", "F1", {"protocol": "pages", "model": "elmo"})   ->   ["0.5192…", …]
    shown([0.52, 0.51, 0.53])                                                   ->   "52.0 ± 1.0"

Where nothing was measured yet there is a "-": a table that is being measured anew can be quoted all the time.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pages import HERE, load_script

from edrew_torch.datasets.swde import VERTICALS
from edrew_torch.measured import read_table
from edrew_torch.report import percent

NOTHING = "-"


def lines_of(name: str, where: Mapping[str, str], folder: Path = HERE) -> list[dict[str, str]]:
    """The lines of a csv of which the named columns hold just this; none where there is no csv."""
    file = folder / f"{name}.csv"
    rows = read_table(file) if file.exists() else []
    if unknown := set(where) - set(rows[0] if rows else where):
        raise KeyError(f"{file} has no column {', '.join(sorted(unknown))}.")
    return [row for row in rows if all(row[column] == value for column, value in where.items())]


def lookup(name: str, column: str, where: Mapping[str, str], folder: Path = HERE) -> list[str]:
    """What a column holds in these lines."""
    return [row[column] for row in lines_of(name, where, folder)]


def shown(figures: Iterable[float | str]) -> str:
    """Fractions in %: their mean, and their spread where there are several; NOTHING where nothing was measured."""
    return percent(map(float, figures))


def signed(name: str, folder: str, *claims: str) -> str:
    """The signature under a quoted table; nothing before the first measurement."""
    file = HERE / folder / "measured.json"
    about = json.loads(file.read_text(encoding="utf-8")).get(name) if file.exists() else None
    return "|".join((f"`data:{about['data']}", *claims, f"v:{about['version']}`")) if about else "`not measured yet`"


def gap(ours: str, theirs: str) -> str:
    """By how many points ours is better, with its sign."""
    return NOTHING if NOTHING in (ours, theirs) else f"{float(ours.split()[0]) - float(theirs):+.1f}"


def seeds_of(rows: Sequence[Mapping[str, str]], *keys: str) -> list[str]:
    """Those seeds for which there is as much as for the seed with the most: the others are still being measured."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        found.setdefault(row["seed"], set()).add(tuple(row[key] for key in keys))
    most = max(map(len, found.values()), default=0)
    return sorted(seed for seed, each in found.items() if len(each) == most)


# --- topics ---------------------------------------------------------------------------------------------------------


def attributes(model: str, rule: str, k: str = "5") -> str:
    """Page F1 on unseen sites (`published`, `strict`) or F1 over their nodes (`nodes`), mean of the verticals."""
    rows = lines_of("attributes/results", {"k": k, "model": model})
    seeds = seeds_of(rows, "vertical")
    if not seeds or len({row["vertical"] for row in rows}) < len(VERTICALS):
        return NOTHING
    return str(load_script(HERE / "attributes" / "run.py").shown(rows, seeds, VERTICALS, rule))


def enriched(protocol: str, groups: str = "all") -> str:
    """F1 of the relevant class by the weights alone, mean of the verticals."""
    script = load_script(HERE / "enriched" / "run.py")
    by_seed = script.scores_of(script.MEASURED.rows(), protocol, groups).values()
    return shown(sum(each.values()) / len(each) for each in by_seed if len(each) == len(VERTICALS))


def recipe(model: str) -> str:
    """F1 of the texts of a page, mean of the attributes."""
    script = load_script(HERE / "recipe" / "run.py")
    rows = [row for row in script.MEASURED.rows() if row["model"] == model]
    means = []
    for seed in seeds_of(rows, "fold", "attribute"):
        scores = [
            script.texts_f1([row for row in rows if row["seed"] == seed and row["attribute"] == name])
            for name in script.SCORED
        ]
        means.append(sum(scores) / len(scores))
    return shown(means)


def unseen(way: str) -> str:
    """Page F1 of the product on sites that nobody trained on, mean of the verticals."""
    rows = lines_of("attributes/unseen", {"way": way})
    script = load_script(HERE / "attributes" / "unseen.py") if rows else None
    means = []
    for seed in seeds_of(rows, "vertical"):
        mine = [row for row in rows if row["seed"] == seed]
        verticals = sorted({row["vertical"] for row in mine})
        means.append(sum(script.vertical_f1(mine, each) for each in verticals) / len(verticals))
    return shown(means)


def by_example(number: int, tested: bool = False, way: str = "labelled pages only") -> str:
    """Published page F1 on the other pages of a site; `tested`: of the verticals that nothing was tuned on."""
    script = load_script(HERE / "by_example" / "run.py")
    verticals = [each for each in VERTICALS if not (tested and each in script.TUNING)]
    return shown(script.f1_by_seed(script.MEASURED.rows(), way, number, "published", verticals))
