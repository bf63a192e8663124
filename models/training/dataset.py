"""Labelled installs and their split by time."""

from dataclasses import dataclass
from datetime import datetime, timezone

import numpy as np

from features import FEATURE_NAMES


class TooLittleData(Exception):
    """A part of the data has too few installs or too few payers for training or evaluation."""


@dataclass(frozen=True)
class Dataset:
    """Installs in order of time.

    `features`: float32 [N, 6], columns as in FEATURES, exactly as the service passes them to the model.
    `paid`: bool [N], whether the install paid within its first day. `at`: float64 [N], seconds since 1970, UTC.
    """

    features: np.ndarray
    paid: np.ndarray
    at: np.ndarray

    def __len__(self) -> int:
        return len(self.paid)

    def part(self, rows: slice) -> "Dataset":
        return Dataset(self.features[rows], self.paid[rows], self.at[rows])

    def payers(self) -> int:
        return int(self.paid.sum())

    def window(self) -> dict:
        """The time of the first and of the last install, in RFC 3339."""
        return {"from": rfc3339(self.at[0]), "until": rfc3339(self.at[-1])}


@dataclass(frozen=True)
class Split:
    """Train, calibration, holdout in order of time: no install is evaluated by a model trained on a later one."""

    train: Dataset
    calibration: Dataset
    holdout: Dataset


def dataset(features: np.ndarray, paid: np.ndarray, at: np.ndarray) -> Dataset:
    """Sorts installs by time and converts their features to float32, the model's number format.

    Raises ValueError for a feature that is not finite: the service refuses such a request before the model.
    """
    features = np.asarray(features, dtype=np.float32).reshape(-1, len(FEATURE_NAMES))
    if not np.isfinite(features).all():
        raise ValueError("a feature is not finite in float32")
    order = np.argsort(at, kind="stable")
    return Dataset(features[order], np.asarray(paid, dtype=bool)[order], np.asarray(at, dtype=np.float64)[order])


def split_by_time(data: Dataset, *, train_share=0.62, calibration_share=0.13, minimum_payers=100) -> Split:
    """Splits by time into train, calibration and holdout. Raises TooLittleData if a part has too few payers, or payers
    only: its metrics, its calibration and its 99th percentile would be noise."""
    first = int(len(data) * train_share)
    second = int(len(data) * (train_share + calibration_share))
    split = Split(data.part(slice(0, first)), data.part(slice(first, second)), data.part(slice(second, None)))
    for name, part in (("train", split.train), ("calibration", split.calibration), ("holdout", split.holdout)):
        payers = part.payers()
        if payers < minimum_payers or payers == len(part):
            raise TooLittleData(f"{name} has {payers} payers of {len(part)} installs; the minimum is {minimum_payers}")
    return split


def rfc3339(seconds: float) -> str:
    """A time in RFC 3339, UTC, to the second."""
    return datetime.fromtimestamp(float(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
