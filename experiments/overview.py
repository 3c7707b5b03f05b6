"""What of which document is reproduced, and the results of the README: both from the csv beside the experiments.

    python experiments/overview.py        # some seconds; writes experiments/README.md and two parts of README.md

The lines of the overview are the `verdicts.csv` of the experiments' folders; those of what no document has follow here.
What stands in braces in a line is looked up:

    {results;F;what=dataset 3}     column F of results.csv where `what` is that, a fraction in %; the mean of several
    {=time;ms;spectrum=lazy}       as it stands there
    {agree_7}                      from `figures()` of the folder's run.py
"""

import re
from functools import cache
from pathlib import Path

import figures
from pages import HERE, load_script
from readme import BLOCKS

from edrew_torch.measured import read_table

ROOT = HERE.parent
COLUMNS = ("document", "what", "command", "minutes", "theirs", "ours", "verdict")
BRACES = re.compile(r"\{([^{}]+)\}")
MARKED = re.compile(r"(<!-- (in short|results): .*? -->\n).*?(<!-- /\2 -->)", re.DOTALL)
Line = dict[str, str]


def main() -> None:
    """Write both files."""
    (HERE / "README.md").write_text(render(), encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(with_block(readme.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {HERE / 'README.md'} and the figures of {readme}")


def render() -> str:
    """The overview."""
    table = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    table += [f"| {' | '.join(cell(line, name) for name in COLUMNS)} |" for line in lines()]
    return HEAD + "\n".join(table) + "\n"


def with_block(readme: str) -> str:
    """The README with what stands between its comments rendered anew."""
    return MARKED.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}{found[3]}", readme)


def cell(line: Line, name: str) -> str:
    """One cell in Markdown."""
    text = line[name].replace("|", r"\|") or "-"
    return f"`{text}`" if name == "command" else text


def lines() -> list[Line]:
    """All lines, document by document."""
    found: list[Line] = []
    for file in sorted(HERE.rglob("verdicts.csv")):
        found += [filled(line, file.parent) for line in read_table(file)]
    return sorted(found, key=place) + own_lines()


def place(line: Line) -> tuple[int, str, bool, int]:
    """The latest document first; tables before figures, each by its number."""
    years = re.findall(r"\b(?:19|20)\d\d\b", line["document"])
    number = re.search(r"\d+", line["what"])
    return -max(map(int, years), default=0), line["document"], "figure" in line["what"], int(number[0]) if number else 0


def filled(line: Line, folder: Path) -> Line:
    """The line with what its braces stand for."""
    return {name: BRACES.sub(lambda found: figure(found[1], folder), text) for name, text in line.items()}


def figure(asked: str, folder: Path) -> str:
    """One figure; see above."""
    name, *others = asked.split(";")
    if not others:
        return named_figures(folder)[name]
    column, *conditions = others
    where = dict(condition.split("=", 1) for condition in conditions)
    found = figures.lookup(name.removeprefix("="), column, where, folder)
    if not found:
        raise LookupError(f"{folder}: no line of {name} is so: {where}.")
    if name.startswith("="):
        return found[0]
    return f"{100 * sum(map(float, found)) / len(found):.1f}"


@cache
def named_figures(folder: Path) -> dict[str, str]:
    """What the folder's own script computes."""
    named: dict[str, str] = load_script(folder / "run.py").figures()
    return named


# --- what no document has -------------------------------------------------------------------------------------------


def own_lines() -> list[Line]:
    """Attributes, enriched nodes, recipes and values by example, from whatever was measured so far."""
    made = [*attribute_lines(), *enriched_lines(), *recipe_lines(), *example_lines()]
    return [dict(zip(COLUMNS, line, strict=True)) for line in made]


def attribute_lines() -> list[tuple[str, ...]]:
    """Beside FreeDOM, SimpDOM and MarkupLM, by their rules, for each number of seed sites; and without their leaks."""
    command, document = "python experiments/attributes/run.py", "FreeDOM, SimpDOM, MarkupLM"
    made = []
    for k in "12345":
        theirs = {row["model"]: row["f1"] for row in figures.lines_of("attributes/paper", {"k": k})}
        judge, weights = (figures.attributes(model, "published", k) for model in ("judge", "weights"))
        below = ", ".join(
            f"{figures.gap(judge, f1)} to {name}" for name, f1 in theirs.items() if "rendered" not in name
        )
        verdict = f"differs: linear weights and trees, 72 of their 80 sites, labels of other verticals; `judge` {below}"
        made.append(
            (
                *(document, f"attributes on unseen sites, k = {k}: page F1, mean of 8 verticals", command, "60"),
                ", ".join(f"{name} {f1}" for name, f1 in theirs.items()),
                f"`judge` {judge}, `weights` {weights}",
                NOT_YET if judge == figures.NOTHING else verdict,
            )
        )
    strict = figures.attributes("judge", "strict")
    what = "the same, k = 5, without the leaks of that protocol"
    verdict = "new: no document has it" if strict != figures.NOTHING else NOT_YET
    weights = figures.attributes("weights", "strict")
    made.append((document, what, command, "60", "-", f"`judge` {strict}, `weights` {weights}", verdict))
    alone, together, wrapper = map(figures.unseen, ("page by page", "site together", "wrapper of 20 pages"))
    ours = f"page by page {alone}, a site together {together}, a wrapper made of 20 pages {wrapper}"
    verdict = "new: what `edrew extract` and `edrew wrap --auto` give" if alone != figures.NOTHING else NOT_YET
    what = "the product on unseen sites: page F1, mean of 8 verticals"
    made.append((OWN, what, "python experiments/attributes/unseen.py", "10", "-", ours, verdict))
    return made


def enriched_lines() -> list[tuple[str, ...]]:
    """Relevant or noise with enriched nodes, beside what the reTPS alone gives."""
    made = []
    for protocol, what in (("pages", "unseen pages of known sites"), ("sites", "unseen sites")):
        alone = {
            model: figures.shown(figures.lookup("encoders/results", "F1", {"protocol": protocol, "model": model}))
            for model in ("lookup", "elmo", "native")
        }
        ours = figures.enriched(protocol)
        judged = f", judged (k = 5) {figures.attributes('judge', 'nodes')}" if protocol == "sites" else ""
        verdict = "new: a linear model of what is seen of a node; the nodes are other ones (profile full)"
        made.append(
            (
                *(OWN, f"relevant or noise, enriched nodes, {what}: F1", "python experiments/enriched/run.py", "60"),
                "reTPS alone (ours, profile thesis): " + ", ".join(f"{name} {f1}" for name, f1 in alone.items()),
                ours + judged,
                NOT_YET if ours == figures.NOTHING else verdict,
            )
        )
    return made


def recipe_lines() -> list[tuple[str, ...]]:
    """Recipes, beside what the page's own JSON-LD says."""
    every, bare, markup = map(figures.recipe, ("all evidence", "without markup", "JSON-LD alone"))
    verdict = "new; the truth of most sites was made from their JSON-LD, which favours what reads it"
    return [
        (
            *(OWN, "recipes of unseen sites: F1 of a page’s texts, mean of 4 attributes"),
            *("python experiments/recipe/run.py", "30", f"JSON-LD alone, no model: {markup}"),
            f"all evidence {every}, without markup {bare}",
            NOT_YET if every == figures.NOTHING else verdict,
        )
    ]


def example_lines() -> list[tuple[str, ...]]:
    """Values by example, beside the goals that were set."""
    made = []
    for number, goal in load_script(HERE / "by_example" / "run.py").GOALS.items():
        ours, tested = figures.by_example(number), figures.by_example(number, tested=True)
        plain = figures.by_example(number, way="absolute XPath of the first page")
        reached = "reached" if float(ours.split()[0]) >= float(goal) else "not reached"
        pages = f"{number} labelled page{'s' if number > 1 else ''}"
        what = f"values by example, {pages}: page F1 on the site’s other pages"
        told = f"{ours} ({tested} on the verticals that nothing was tuned on); absolute XPath {plain}"
        made.append((OWN, what, "python experiments/by_example/run.py", "8", f"goal {goal}", told, f"goal {reached}"))
    return made


OWN, NOT_YET = "this project", "not measured yet"
HEAD = """# What is reproduced

Rendered by `python experiments/overview.py` from the csv beside each experiment; a test holds both to each other.
Figures in % unless they say otherwise. `make reproduce DATA=path` measures what is missing and renders all pages,
`make reproduce QUICK=1` tries every experiment in minutes. Minutes are of the whole script on one or two quiet cores,
as it says itself. Where the shared data falls short of the documents' own pages the verdicts say so.

"""


if __name__ == "__main__":
    main()
