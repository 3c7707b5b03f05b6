"""TreeEnsemble: boosted decision trees as plain arrays, so that a trained model is a small file and needs no library.

    (C, F) features   ->   all trees at once, a level a step   ->   (C,) values

Made from scikit-learn's gradient boosting (`from_boosting`), kept as safetensors. Read by quality.py,
news/classifier.py and attributes/.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from edrew_torch.errors import MissingWeights

try:
    from edrew_torch._compiled import tree_sums as compiled_loop
except ImportError:  # not compiled: the same answers, slower
    compiled_loop = None


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """Trees padded to one size. A leaf points at itself, so that every row may take as many steps as the deepest.

    Arrays that cannot be walked raise ValueError: a file may hold anything.
    """

    feature: NDArray[np.int32]  # (T, K) which feature a node asks for
    threshold: NDArray[np.float64]  # (T, K) at most this: left
    left: NDArray[np.int32]  # (T, K)
    right: NDArray[np.int32]  # (T, K)
    value: NDArray[np.float64]  # (T, K) of leaves
    baseline: NDArray[np.float64]  # (1,) what the trees add to
    depth: NDArray[np.int32]  # (1,) of the deepest

    def __post_init__(self) -> None:
        shape, places = self.feature.shape, (self.feature, self.left, self.right)
        faults = []
        if len(shape) != 2 or 0 in shape or any(array.shape != shape for array in self.tables):
            faults.append("the trees do not have one size")
        if any(array.dtype != np.int32 for array in (*places, self.depth)):
            faults.append("places are not 32-bit whole numbers")
        if any(array.dtype != np.float64 for array in (self.threshold, self.value, self.baseline)):
            faults.append("values are not 64-bit numbers")
        if self.baseline.shape != (1,) or self.depth.shape != (1,):
            faults.append("baseline and depth are not one number each")
        if faults:
            raise ValueError("; ".join(faults))
        if any(array.min() < 0 for array in places) or max(self.left.max(), self.right.max()) >= shape[1]:
            faults.append("a node points outside its tree")
        if not 0 <= self.depth[0] < shape[1]:  # so that nodes that point in a circle are soon left
            faults.append(f"a tree of {shape[1]} nodes cannot be {self.depth[0]} deep")
        if np.isnan(self.threshold).any() or not (np.isfinite(self.value).all() and np.isfinite(self.baseline).all()):
            faults.append("a value is no number")
        if faults:
            raise ValueError("; ".join(faults))

    @property
    def tables(self) -> tuple[NDArray[Any], ...]:
        """The arrays over the nodes, in the order of the compiled loop."""
        return self.feature, self.threshold, self.left, self.right, self.value

    @cached_property
    def num_features(self) -> int:
        """How many the trees ask for at least."""
        return int(self.feature.max()) + 1

    def predict(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C, F) -> (C,): the sum over all trees."""
        rows = np.ascontiguousarray(features, dtype=np.float64)
        if rows.shape[1] < self.num_features:
            raise MissingWeights(
                f"a model of trees asks for {self.num_features} features and there are {rows.shape[1]}: it is of "
                "another version. Train it again, or take the embedded one."
            )
        total: NDArray[np.float64] = tree_sums(self, rows) + self.baseline[0]
        return total

    @classmethod
    def from_boosting(cls, model: Any) -> "TreeEnsemble":
        """Take over a fitted HistGradientBoostingRegressor, or a binary …Classifier: then the values are logits."""
        trees = [predictors[0].nodes for predictors in model._predictors]
        width = max(map(len, trees))
        columns: dict[str, list[Any]] = {name: [] for name in ("feature", "threshold", "left", "right", "value")}
        for nodes in trees:
            is_leaf = nodes["is_leaf"].astype(bool)
            itself = np.arange(len(nodes))
            columns["feature"].append(np.where(is_leaf, 0, nodes["feature_idx"]))
            columns["threshold"].append(np.where(is_leaf, 0.0, nodes["num_threshold"]))
            columns["left"].append(np.where(is_leaf, itself, nodes["left"]))
            columns["right"].append(np.where(is_leaf, itself, nodes["right"]))
            columns["value"].append(np.where(is_leaf, nodes["value"], 0.0))
        padded = {
            name: np.stack([np.pad(row, (0, width - len(row))) for row in rows]) for name, rows in columns.items()
        }
        return cls(
            padded["feature"].astype(np.int32),
            padded["threshold"],
            padded["left"].astype(np.int32),
            padded["right"].astype(np.int32),
            padded["value"],
            np.ravel(model._baseline_prediction).astype(np.float64),
            np.array([max(int(nodes["depth"].max()) for nodes in trees)], dtype=np.int32),
        )

    @classmethod
    def mean(cls, ensembles: Sequence["TreeEnsemble"]) -> "TreeEnsemble":
        """One ensemble whose value is the mean of those of several."""
        width = max(each.feature.shape[1] for each in ensembles)

        def joined(name: str) -> NDArray[Any]:
            arrays = [getattr(each, name) for each in ensembles]
            return np.concatenate([np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays])

        return cls(
            feature=joined("feature"),
            threshold=joined("threshold"),
            left=joined("left"),
            right=joined("right"),
            value=joined("value") / len(ensembles),
            baseline=np.mean([each.baseline for each in ensembles], axis=0),
            depth=np.max([each.depth for each in ensembles], axis=0),
        )

    def save(self, file: Path) -> None:
        """Write the arrays."""
        file.parent.mkdir(parents=True, exist_ok=True)
        save_file({each.name: getattr(self, each.name) for each in fields(self)}, file)
        file.chmod(0o644)  # it is written for its owner alone; a package is for all

    @classmethod
    def load(cls, file: Path) -> "TreeEnsemble":
        """Read the arrays."""
        try:
            return cls(**load_file(file))
        except (OSError, TypeError, ValueError, SafetensorError) as error:
            raise MissingWeights(f"{file} holds no tree ensemble of this package: {error}.") from error


def python_tree_sums(trees: TreeEnsemble, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """(C, F) -> (C,): the leaves that each row comes to, added up. `_compiled.c` holds this loop compiled."""
    tree = np.arange(len(trees.feature))[None]  # (1, T)
    row = np.arange(len(features))[:, None]  # (C, 1)
    here = np.zeros((len(features), len(trees.feature)), dtype=np.int32)  # (C, T)
    for _ in range(int(trees.depth[0])):
        is_left = features[row, trees.feature[tree, here]] <= trees.threshold[tree, here]
        here = np.where(is_left, trees.left[tree, here], trees.right[tree, here])
    total: NDArray[np.float64] = trees.value[tree, here].sum(axis=1)
    return total


def compiled_tree_sums(trees: TreeEnsemble, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same, by the compiled loop."""
    sums = np.zeros(len(features))
    compiled_loop(features, *trees.tables, len(trees.feature), int(trees.depth[0]), sums)
    return sums


tree_sums = python_tree_sums if compiled_loop is None else compiled_tree_sums
