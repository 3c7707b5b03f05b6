"""How long preparing a data set takes, how long loading it again, and how much memory.

    python benchmarks/data.py [ROOT] [--profile thesis|full]      # the shared SWDE packs by default

Loading is measured in a process of its own; its time is also given as a ratio to preparing.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from edrew_torch.datasets.load import load_data
from edrew_torch.datasets.packs import shared_data
from edrew_torch.profile import find_profile

ROOT = shared_data() / "swde"


def measure(root: Path, profile: str, cache: str) -> str:
    """Load (and prepare, where the cache is empty) and say what it took."""
    started = time.perf_counter()
    data = load_data("swde", find_profile(profile), root=root, cache=cache)
    num_relevant = int(data.relevant.sum())  # reads an array through, so that mapped memory counts
    seconds = time.perf_counter() - started
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 2**20
    counts = f"{len(data.pages):,} pages, {len(data.row):,} nodes ({num_relevant:,} relevant), {len(data.rows):,} rows"
    return f"{seconds:7.2f} s   largest process {peak:.2f} GiB   {counts}"


def main() -> None:
    """Prepare into an empty cache, then load from it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--profile", default="thesis")
    parser.add_argument("--cache", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cache:
        print(measure(arguments.root, arguments.profile, arguments.cache))
        return
    with tempfile.TemporaryDirectory() as cache:
        for what in ("prepare", "load"):
            command = [sys.executable, __file__, str(arguments.root), "--profile", arguments.profile, "--cache", cache]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            print(f"{what:8}{done.stdout}", end="", flush=True)


if __name__ == "__main__":
    main()
