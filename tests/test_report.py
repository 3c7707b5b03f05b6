import csv
import io
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from edrew_torch import __version__
from edrew_torch.errors import BadData
from edrew_torch.metrics.nodes import NodeScore
from edrew_torch.report import Report, as_csv, as_latex, as_markdown, as_rich, score_report, score_table, signature

REPORT = Report(
    "Encoders & paths",
    ("encoder", "F1", "pages"),
    (
        ("one_hot", 0.6789, 120),
        ('a|b, "c" 50%', None, 7),
        ("[bold]\\x", 1.0, None),
        ("all", 0.0, 127),
    ),
    "data:s_1|protocol:pages|seeds:1-3|v:0.1.0",
)


def printed(table) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return console.file.getvalue()


def test_the_terminal_shows_percent_and_takes_nothing_for_markup():
    lines = printed(as_rich(REPORT)).splitlines()
    assert lines[0].strip() == "Encoders & paths, %"
    assert lines[-1].strip() == REPORT.signature
    cells = [[cell.strip() for cell in line.strip("│┃ ").split("│")] for line in lines if line.startswith("│")]
    assert cells == [
        ["one_hot", "67.9", "120"],
        ['a|b, "c" 50%', "-", "7"],
        ["[bold]\\x", "100.0", "-"],
        ["all", "0.0", "127"],
    ]
    assert lines[-3].startswith("│ all")
    assert lines[-4].startswith("├")  # the sum is set off


def test_markdown_form():
    assert as_markdown(REPORT) == (
        "**Encoders & paths, %**\n"
        "\n"
        "| encoder | F1 | pages |\n"
        "|---|---:|---:|\n"
        "| one\\_hot | 67.9 | 120 |\n"
        '| a\\|b, "c" 50% | - | 7 |\n'
        "| \\[bold\\]\\\\x | 100.0 | - |\n"
        "| all | 0.0 | 127 |\n"
        "\n"
        "`data:s_1|protocol:pages|seeds:1-3|v:0.1.0`\n"
    )


def test_csv_form_keeps_raw_numbers_and_reads_back():
    text = as_csv(REPORT)
    assert text == (
        "encoder,F1,pages\n"
        "one_hot,0.6789,120\n"
        '"a|b, ""c"" 50%",,7\n'
        "[bold]\\x,1.0,\n"
        "all,0.0,127\n"
        "# data:s_1|protocol:pages|seeds:1-3|v:0.1.0\n"
    )
    *table, comment = csv.reader(io.StringIO(text))
    assert table[2] == ['a|b, "c" 50%', "", "7"]
    assert comment[0].startswith("# ")


def test_latex_form():
    assert as_latex(REPORT) == (
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{Encoders \\& paths, \\%}\n"
        "  \\begin{tabular}{lrr}\n"
        "    \\toprule\n"
        "    encoder & F1 & pages \\\\\n"
        "    \\midrule\n"
        "    one\\_hot & 67.9 & 120 \\\\\n"
        '    a\\textbar{}b, "c" 50\\% & - & 7 \\\\\n'
        "    {[}bold{]}\\textbackslash{}x & 100.0 & - \\\\\n"
        "    all & 0.0 & 127 \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "  \\par\\footnotesize\\texttt{data:s\\_1\\textbar{}protocol:pages\\textbar{}seeds:1-3\\textbar{}v:0.1.0}\n"
        "\\end{table}\n"
    )


def test_every_special_character_of_latex_is_escaped():
    text = as_latex(Report("", ("&%$#_{}~^",), (), ""))
    assert r"\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{} \\" in text


def test_a_name_of_several_lines_does_not_break_the_table():
    report = Report("t", ("a\nb", "c"), (("x\ny", 0.5),), "one\ntwo")
    assert "| a b | c |\n" in as_markdown(report)
    assert "| x y | 50.0 |\n" in as_markdown(report)
    assert as_csv(report).endswith("\n# one two\n")
    assert list(csv.reader(io.StringIO(as_csv(report))))[1] == ["x\ny", "0.5"]


def test_numpy_numbers_are_shown_as_pythons():
    report = Report("t", ("a", "b"), ((np.float32(0.5), np.int64(3)),), "")
    assert "| 50.0 | 3 |" in as_markdown(report)


def test_a_report_without_fractions_or_rows_is_one_too():
    assert as_markdown(Report("Counts", ("a", "n"), (("x", 3),), "s")).startswith("**Counts**\n")
    empty = Report("Nothing", ("a", "b"), (), "s")
    assert "|---|---|" in as_markdown(empty)
    assert as_csv(empty) == "a,b\n# s\n"
    assert "{ll}" in as_latex(empty)
    assert "Nothing" in printed(as_rich(empty))


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(BadData, match="row 2 of the report 't' has 1 cells and not 2"):
        Report("t", ("a", "b"), (("x", 1.0), ("y",)), "s")


@pytest.mark.parametrize(
    ("seeds", "shown"),
    [([1, 2, 3], "1-3"), ([3, 1, 2, 1], "1-3"), ([5], "5"), ([1, 3], "1,3"), ([0, 1, 7, 9, 10], "0-1,7,9-10")],
)
def test_signatures_name_data_protocol_seeds_and_version(seeds, shown):
    assert signature("swde@1f", "sites", seeds) == f"data:swde@1f|protocol:sites|seeds:{shown}|v:{__version__}"


def test_a_runs_scores_stand_beside_the_trivial_ones():
    good, bad = NodeScore(3, 1, 1), NodeScore(0, 0, 4)
    outcome = SimpleNamespace(
        scores={"auto": good, "all": good},
        baselines={"always_noise": {"auto": bad, "all": bad}},
        signature="data:x",
    )
    report = score_report(outcome, "onehot")
    assert report.columns == ("vertical", "precision", "recall", "F1 onehot", "F1 always noise")
    assert report.rows == (("auto", 0.75, 0.75, 0.75, 0.0), ("all", 0.75, 0.75, 0.75, 0.0))
    assert printed(score_table(outcome, "onehot")) == printed(as_rich(report))
    assert "Relevant nodes of the test pages, %" in printed(as_rich(report))


def test_importing_reports_does_not_wait_for_lightning():
    code = "import sys, edrew_torch.report; sys.exit('lightning' in sys.modules or 'torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
