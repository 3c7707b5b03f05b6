"""What must hold on real pages: a fixed small part of the shared packs, so that the suite stays short."""

import tarfile
from collections import defaultdict
from pathlib import Path

import pytest

from edrew_torch.datasets.labels import label_nodes
from edrew_torch.datasets.swde import VERTICALS
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.retps import RetpsBuilder

from .conftest import read_pages

pytestmark = pytest.mark.realdata


def read_truth(folder: Path) -> dict[tuple[str, str, str], dict[str, list[str]]]:
    """(vertical, site, page id) -> attribute -> values."""
    truth: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(dict)
    with tarfile.open(folder / "swde" / "groundtruth.tar.xz") as pack:
        for member in pack:
            if member.isfile():
                lines = pack.extractfile(member).read().decode("utf-8-sig").splitlines()
                vertical, site, attribute = lines[0].split("\t")
                for line in lines[2:]:
                    page_id, count, *values = line.split("\t")
                    truth[vertical, site, page_id][attribute] = values if count != "0" else []
    return truth


def test_truth_values_are_nodes(data_folder):
    """At least 99.5 % in the full profile; the thesis' losses are its own, about a seventh of the values."""
    truth = read_truth(data_folder)
    builders = {name: RetpsBuilder(name) for name in ("full", "thesis")}
    total, missed = 0, dict.fromkeys(builders, 0)
    for vertical in VERTICALS:
        for name, data in read_pages(data_folder / "swde" / f"{vertical}.tar.xz", every=24):
            folder, file = name.split("/")[-2:]
            site = folder.split("-", 1)[1].split("(")[0]
            values = truth[vertical, site, file[:4]]
            total += len({(key, value) for key, several in values.items() for value in several})
            for profile, builder in builders.items():
                tree = parse_tree(Page.from_bytes(data, name), profile)
                texts = [tree.text(node) for node in builder.rows(tree).nodes.tolist()]
                missed[profile] += len(label_nodes(texts, values)[1])
    shares = {name: 1 - count / total for name, count in missed.items()}
    print(f"{total} values; " + ", ".join(f"{name} {share:.2%}" for name, share in shares.items()))
    assert total > 1000
    assert shares["full"] >= 0.995
    assert 0.80 < shares["thesis"] < 0.90


def test_modern_pages_parse_and_have_content(data_folder):
    builders = {name: RetpsBuilder(name) for name in ("full", "thesis")}
    count = 0
    for name, data in read_pages(data_folder / "recipe" / "recipe.tar.xz", every=20):
        page = Page.from_bytes(data, name)
        assert page.encoding_from == "bom"
        for profile, builder in builders.items():
            assert len(builder.rows(parse_tree(page, profile))) > 0, (name, profile)
        count += 1
    assert count > 30
