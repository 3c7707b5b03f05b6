"""No score falls below its floor (floors.toml), and what is said where one does."""

import re
import shutil

import pytest

from tests.floors import COMMAND, FILE, MEASURES, NEEDS, Floor, Measured, checksum, read_floors, renew, what_is_missing

FLOORS = read_floors()
F1 = Floor("nodes", "F1 of nodes", 0.7, 0.02, "abc")
ERROR = Floor("parity", "difference", 1e-6, 2e-6, "abc", lower_is_better=True)


def floor_param(name: str):
    return pytest.param(name, marks=[pytest.mark.realdata] if name in NEEDS else [])


@pytest.mark.parametrize("name", [floor_param(name) for name in MEASURES])
def test_no_score_is_below_its_floor(name, record_property):
    if missing := what_is_missing(name):
        pytest.skip(missing)
    floor, found = FLOORS[name], MEASURES[name]()
    if fault := floor.fault(found):
        pytest.fail(fault, pytrace=False)
    if advice := floor.advice(found):
        record_property("advice", advice)  # conftest.py shows it at the end of the run


def test_every_floor_is_measured_and_could_be_missed():
    assert FLOORS.keys() == MEASURES.keys()
    for floor in FLOORS.values():
        worst = 1.0 if floor.lower_is_better else 0.0
        assert floor.margin > 0, floor
        assert floor.fault(Measured(worst, floor.data)), floor
        assert re.fullmatch("[0-9a-f]{12}", floor.data), floor


@pytest.mark.parametrize(
    ("floor", "score", "data", "told"),
    [
        (F1, 0.7, "abc", None),
        (F1, 0.681, "abc", None),
        (F1, 0.679, "abc", r"score is 0\.679, below the floor of 0\.68 \(measured 0\.7, margin 0\.02\), on data:abc"),
        (F1, 0.7, "xyz", r"data has changed: its checksum is xyz, the floor 0\.68 was measured on abc"),
        (ERROR, 0.0, "abc", None),
        (ERROR, 2.9e-6, "abc", None),
        (ERROR, 3.1e-6, "abc", r"score is 3\.1e-06, above the limit of 3e-06"),
    ],
)
def test_a_fault_says_score_floor_data_and_what_to_do(floor, score, data, told):
    fault = floor.fault(Measured(score, data))
    assert (fault is None) == (told is None)
    if told:
        assert re.search(told, fault)
        assert f"{COMMAND} {floor.name}" in fault


@pytest.mark.parametrize(("floor", "near", "better"), [(F1, 0.719, 0.721), (ERROR, 0.0, -1.1e-6)])
def test_only_a_clear_gain_is_worth_raising_a_floor(floor, near, better):
    assert floor.advice(Measured(near, "abc")) is None
    assert f"{COMMAND} {floor.name}" in floor.advice(Measured(better, "abc"))


def test_renewing_changes_one_table_and_keeps_the_comments(tmp_path):
    file = tmp_path / "floors.toml"
    shutil.copy(FILE, file)
    renew("attributes", Measured(0.123456789, "0123456789ab"), file)
    before, after = FILE.read_text().splitlines(), file.read_text().splitlines()
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "measured = 0.123457",
        'data = "0123456789ab"',
    ]
    assert read_floors(file)["attributes"].measured == 0.123457


def test_the_checksum_sees_every_part_and_its_place():
    sums = [checksum(parts) for parts in (["ab", "c"], ["a", "bc"], ["c", "ab"], ["ab"], ["ab", b"c"])]
    assert len(set(sums)) == len(sums)
