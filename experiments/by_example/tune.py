"""Trust in kinds of rules: the weights of edrew_torch/fields/trust.py, from the tuning verticals alone.

    python experiments/by_example/tune.py        # two minutes on one core; prints the table to put into trust.py

Of every attribute of every site of auto, book and movie: the rules that are right on one page (two draws), and on how
many of twelve other pages with an answer that answer is right. The verticals that are reported as tests are not read.
"""

import random
from collections.abc import Iterator

import numpy as np
from sites import TUNING, LabelledPage, read_sites

from edrew_torch.fields.candidates import candidate_rules
from edrew_torch.fields.trust import marks

NUM_DRAWS, NUM_OTHERS, RIDGE = 2, 12, 0.3


def main() -> None:
    """Collect, fit, print."""
    rows: list[dict[str, float]] = []
    shares: list[float] = []
    weights: list[float] = []
    for site in read_sites(TUNING):
        for attribute in site.attributes:
            for found in cases(site.pages, attribute, random.Random(f"{site.name}/{attribute}")):
                rows += [told for told, _ in found]
                shares += [share for _, share in found]
                weights += [1 / len(found)] * len(found)
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    weight = np.array(weights)
    share = np.array(shares)
    middle, mean = np.average(table, axis=0, weights=weight), np.average(share, weights=weight)
    left = (table - middle) * np.sqrt(weight)[:, None]
    fitted = np.linalg.solve(left.T @ left + RIDGE * np.eye(len(names)), left.T @ ((share - mean) * np.sqrt(weight)))
    print(f"BASE = {mean - middle @ fitted:.3f}")
    print("WEIGHTS = {" + "".join(f'\n    "{name}": {value:.3f},' for name, value in zip(names, fitted, strict=True)))
    print("}")


def cases(
    pages: list[LabelledPage], attribute: str, draw: random.Random
) -> Iterator[list[tuple[dict[str, float], float]]]:
    """Of some pages with the attribute: the marks of the rules right there, and how often they are elsewhere."""
    having = [number for number, page in enumerate(pages) if page.nodes.get(attribute)]
    if len(having) < 5:
        return
    for chosen in draw.sample(having, NUM_DRAWS):
        page, nodes = pages[chosen].page, pages[chosen].nodes[attribute]
        others = [pages[number] for number in draw.sample([n for n in range(len(pages)) if n != chosen], NUM_OTHERS)]
        found = []
        for rule in candidate_rules([(page, node) for node in nodes]):
            selected = set(rule.select(page).tolist())
            if not selected or selected - set(nodes):
                continue
            answers = [
                ({other.page.text(node) for node in rule.select(other.page).tolist()}, other) for other in others
            ]
            right = [texts <= other.truth.get(attribute, set()) for texts, other in answers if texts]
            if right:
                told = marks(rule, len(page.on_path(rule.tags, rule.from_root)), len(selected))
                found.append((told, sum(right) / len(right)))
        if found:
            yield found


if __name__ == "__main__":
    main()
