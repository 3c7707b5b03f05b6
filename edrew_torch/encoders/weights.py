"""Where an encoder's weights come from: embedded in the package, a public file in the cache, or a path.

"embedded"   ->   edrew_torch/models/<name>
"original"   ->   the public file, fetched once to the cache; without a network, a message that says what to do
a path       ->   itself
"""

from pathlib import Path

from edrew_torch.datasets.download import cache_folder, download
from edrew_torch.errors import EdrewError, MissingWeights

MODELS = Path(__file__).parents[1] / "models"


def embedded_folder(name: str) -> Path:
    """The folder of the embedded weights of this encoder."""
    return MODELS / name


def public_file(encoder: str, url: str) -> Path:
    """The public file behind `url`, from the cache or fetched to it."""
    target = cache_folder() / "weights" / encoder / url.rsplit("/", 1)[-1]
    try:
        return download(url, target)
    except EdrewError as error:
        raise MissingWeights(
            f"the public weights of {encoder} are not at {target} and cannot be fetched from {url} ({error}) "
            f"Put the file there, give its path with encoder.weights=PATH, or use encoder.weights=embedded."
        ) from error


def given_path(encoder: str, weights: str) -> Path:
    """The path that the user named, if something is there."""
    path = Path(weights).expanduser()
    if not path.exists():
        raise MissingWeights(
            f"encoder.weights={weights}: there is no such file or folder. Give 'embedded' (small, made by this "
            f"project), 'original' (the public weights of {encoder}, fetched) or the path of a file or folder."
        )
    return path
