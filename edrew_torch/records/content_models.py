"""Content or noise: six features of a region -> the probability that it is content, by eight models.

    CONTENT_MODELS["svm"](seed)   ->   unfitted scikit-learn estimator
    .fit(features, is_content)    ->   .predict_proba(features)[:, 1]      features: (N, 6), columns as in FEATURES

Velloso 2020, Section 5.2.2 and appendix A. The appendix gives the classifiers; what stands before them (scaling, then
polynomials, then quantiles) is from the author's program: on raw features LR and SVM fall far below the published
figures. Columns left out are those of table 12. Also the reader of the author's data. Read by experiments/signal/.

The author's data is of his program, not of his text. Who applies a model fitted on it must measure regions its way:
horizontal is centre/length (the text: 1 - that), range is the smaller over the larger of (largest - mean code) in
region and page (the text: (largest - smallest code)/largest of the page).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.errors import BadData

COLUMNS = ("center", "size", "record", "range", "angle", "horizontal", "vertical")  # of the file, in its order
FEATURES = ("center", "size", "record", "range", "horizontal", "vertical")  # of the models: the thesis has no angle

LABELS = {"1": True, "+1": True, "-1": False}


def read_svmlight(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the features, (N, 7) in the order of COLUMNS, and whether each region is content.

    A line is `1` (content) or `-1` (noise), then `number:value` with ascending numbers from 1; a number that is absent
    is 0. Text after `#` is a comment. Raises BadData naming the line that says something else.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path} cannot be read ({error}): give a file of region features in svmlight format.") from None
    rows, labels = [], []
    for number, line in enumerate(lines, start=1):
        label, *pairs = line.partition("#")[0].split() or [""]
        if not label:
            continue
        if label not in LABELS:
            raise BadData(f"{path}, line {number}: the label is {label!r}; it must be 1 (content) or -1 (noise).")
        labels.append(LABELS[label])
        rows.append(_read_row(pairs, f"{path}, line {number}"))
    if not rows:
        raise BadData(f"{path} has no rows: give a file of region features in svmlight format.")
    return np.array(rows), np.array(labels)


def _read_row(pairs: list[str], place: str) -> NDArray[np.float64]:
    row, last = np.zeros(len(COLUMNS)), 0
    for pair in pairs:
        key, _, text = pair.partition(":")
        try:
            column, value = int(key), float(text)
        except ValueError:
            raise BadData(f"{place}: {pair!r} is not number:value, like 2:0.37.") from None
        if not last < column <= len(COLUMNS):
            raise BadData(f"{place}: {pair!r} has number {column}; numbers must ascend from 1 to {len(COLUMNS)}.")
        if not np.isfinite(value):
            raise BadData(f"{place}: {pair!r} is not finite.")
        row[column - 1], last = value, column
    return row


# scikit-learn takes a second to import and the command line must not wait for it: it is imported where it is used


def _pipeline(classifier: Any, *steps: tuple[str, Any], without: tuple[str, ...] = ()) -> Any:
    """Columns to keep, scaled, then the steps, then the classifier."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    kept = [number for number, name in enumerate(FEATURES) if name not in without]
    columns = ColumnTransformer([("kept", "passthrough", kept)])
    return Pipeline([("columns", columns), ("scale", StandardScaler()), *steps, ("classifier", classifier)])


def _polynomial() -> tuple[str, Any]:
    from sklearn.preprocessing import PolynomialFeatures

    return "polynomial", PolynomialFeatures(degree=3)


def _quantiles(num_quantiles: int, distribution: str = "uniform") -> tuple[str, Any]:
    from sklearn.preprocessing import QuantileTransformer

    return "quantiles", QuantileTransformer(n_quantiles=num_quantiles, output_distribution=distribution)


def _logistic_regression(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    # L2 is scikit-learn's own choice; appendix A's warm_start only matters to an object that is fitted twice
    classifier = LogisticRegression(C=1.0, solver="liblinear", random_state=seed)
    return _pipeline(classifier, _polynomial(), _quantiles(5), without=("center", "vertical"))


def _gaussian_bayes(_seed: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return _pipeline(GaussianNB(), _quantiles(5))


def _nearest_neighbours(_seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return _pipeline(KNeighborsClassifier(n_neighbors=13, weights="uniform", p=3), _quantiles(5))


def _support_vectors(seed: int) -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    machine = SVC(kernel="poly", C=0.6, gamma=0.188, degree=3, shrinking=True)
    # differs from the paper: content is what has a calibrated probability above a half, not a positive distance
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    classifier = CalibratedClassifierCV(machine, method="sigmoid", ensemble=False, cv=folds)
    return _pipeline(classifier, _polynomial(), _quantiles(3), without=("center",))


def _extra_trees(seed: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    classifier = ExtraTreesClassifier(
        n_estimators=31,
        criterion="entropy",
        max_features=0.8,
        bootstrap=True,
        min_samples_leaf=5,
        min_samples_split=0.02,
        random_state=seed,
    )
    return _pipeline(classifier, _quantiles(5))  # the program says nothing of this model: as its neighbours


def _gradient_boosting(seed: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    # differs from the paper: XGBoost there, which also shrinks leaves (lambda = 1) and whose min_child_weight = 9 is
    # the least sum of p(1 - p) in a leaf. That is at most 1/4 a row, so no leaf of it has fewer than 36 rows.
    # Depth and learning rate are not in appendix A (a version of the program has depth 1); XGBoost's own were then
    # scikit-learn's, 3 and 0.1
    classifier = GradientBoostingClassifier(n_estimators=92, subsample=0.6, min_samples_leaf=36, random_state=seed)
    return _pipeline(classifier, _quantiles(10, "normal"))


def _members(seed: int) -> list[tuple[str, Any]]:
    """The four models of both ensembles, each with its own columns and steps."""
    return [(name, CONTENT_MODELS[name](seed)) for name in ("gnb", "svm", "knn", "gb")]


def _voting(seed: int) -> Any:
    from sklearn.ensemble import VotingClassifier

    return VotingClassifier(_members(seed), voting="soft", weights=[0.5, 1.0, 0.5, 0.5])


def _stacking(seed: int) -> Any:
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    # differs from the paper: the upper model learns from probabilities on rows the lower ones were not fitted on;
    # MLxtend's (the paper's) takes labels of the very rows they were fitted on
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return StackingClassifier(_members(seed), LogisticRegression(), cv=folds, stack_method="predict_proba")


CONTENT_MODELS: dict[str, Callable[[int], Any]] = {
    "lr": _logistic_regression,
    "gnb": _gaussian_bayes,
    "knn": _nearest_neighbours,
    "svm": _support_vectors,
    "ext": _extra_trees,
    "gb": _gradient_boosting,
    "voting": _voting,
    "stacking": _stacking,
}
