"""The model package: artifact, manifest and model card, and their replacement on disk."""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dataset import Dataset
from evaluate import bucket_of, reference
from export import IR_VERSION, ML_OPSET, OPSET, open_session, run
from features import BUCKETS, FEATURE_NAMES, FEATURES, PERCENTILES

ARTIFACT = "model.onnx"
MANIFEST = "manifest.json"
CARD = "MODEL_CARD.md"
MANIFEST_VERSION = 1


class PackageBroken(Exception):
    """A package on disk is inconsistent."""


def model_version(artifact: bytes) -> str:
    """The first 12 hex characters of the artifact's SHA-256, as documented in the API. An artifact cannot contain its
    own digest, so the service computes it from the bytes."""
    return hashlib.sha256(artifact).hexdigest()[:12]


def manifest(artifact: bytes, thresholds: np.ndarray, holdout: Dataset, scores: np.ndarray, rest: dict) -> dict:
    """The manifest of an artifact. `scores` are the artifact's scores on the holdout; `rest` has training, metrics and
    verification. Scores are float32 numbers with all their digits."""
    columns = zip(FEATURES, holdout.features.T)
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": "first-user-conversion",
        "model_version": model_version(artifact),
        "artifact": {
            "file": ARTIFACT,
            "sha256": hashlib.sha256(artifact).hexdigest(),
            "size_bytes": len(artifact),
            "ir_version": IR_VERSION,
            "opset": OPSET,
            "ml_opset": ML_OPSET,
        },
        "input": {"name": "features", "type": "float32", "shape": ["N", len(FEATURES)]},
        "outputs": [
            {"name": "score", "type": "float32", "shape": ["N"]},
            {
                "name": "thresholds",
                "type": "float32",
                "shape": [len(BUCKETS)],
                "buckets": BUCKETS,
                "percentiles": PERCENTILES,
            },
        ],
        "features": [
            {
                **asdict(feature),
                "default": 0,
                "seen": {"minimum": float(column.min()), "maximum": float(column.max())},
                "reference": reference(column.astype(np.float64)),
            }
            for feature, column in columns
        ],
        "score_reference": reference(scores.astype(np.float64)),
        "thresholds": {bucket: float(threshold) for bucket, threshold in zip(BUCKETS, thresholds)},
        **rest,
        "golden_rows": golden_rows(artifact, thresholds, holdout, scores),
    }


def golden_rows(artifact: bytes, thresholds: np.ndarray, holdout: Dataset, scores: np.ndarray) -> list[dict]:
    """Rows with the scores of the ONNX runtime in Python: a loader with other scores must refuse the artifact. They
    include, for every bucket, a row whose score equals the threshold and the nearest row below it."""
    rows: list[tuple[str, np.ndarray]] = [
        ("nothing known", np.zeros(len(FEATURES))),
        ("the middle of the holdout", np.median(holdout.features, axis=0)),
        ("the largest value of each feature", holdout.features.max(axis=0)),
        ("the lowest score", holdout.features[scores.argmin()]),
        ("the highest score", holdout.features[scores.argmax()]),
        ("far outside of what was trained on", np.array([1e6, 1e9, 1e9, 1e6, 23, 1e9])),
    ]
    for bucket, threshold in zip(BUCKETS, thresholds):
        rows.append((f"exactly the threshold of {bucket}", holdout.features[np.flatnonzero(scores == threshold)[0]]))
        below = np.where(scores < threshold, scores, -np.inf).argmax()
        rows.append((f"just below the threshold of {bucket}", holdout.features[below]))
    for row in np.linspace(0, len(holdout) - 1, 8).astype(int):
        rows.append((f"install {row} of the holdout", holdout.features[row]))
    features = np.array([values for _, values in rows], dtype=np.float32)
    return [
        {"name": name, "features": named(values), "score": float(score), "bucket": bucket_of(score, thresholds)}
        for (name, _), values, score in zip(rows, features, run(open_session(artifact), features))
    ]


def named(values: np.ndarray) -> dict:
    """Features by name, as in a request: the shortest decimals that give the same float32."""
    return {
        feature.name: int(value) if feature.type == "integer" else float(str(value))
        for feature, value in zip(FEATURES, values)
    }


def write_package(folder: Path, artifact: bytes, contents: dict, card: str) -> None:
    """Replaces the package in `folder`, file by file, each by an atomic rename; the artifact first, the manifest last.
    Meanwhile the manifest's `sha256` differs from the artifact's, so a running service keeps its model."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (
        (ARTIFACT, artifact),
        (CARD, card.encode()),
        (MANIFEST, (json.dumps(contents, indent=2) + "\n").encode()),
    ):
        temporary = folder / f".{name}.new"
        temporary.write_bytes(data)
        os.replace(temporary, folder / name)


def verify_package(folder: Path) -> dict:
    """Reads a package and verifies digest, thresholds and golden rows. Returns the manifest. Raises PackageBroken."""
    contents = json.loads((folder / MANIFEST).read_text())
    artifact = (folder / contents["artifact"]["file"]).read_bytes()
    if hashlib.sha256(artifact).hexdigest() != contents["artifact"]["sha256"]:
        raise PackageBroken("the manifest belongs to another artifact")
    if model_version(artifact) != contents["model_version"]:
        raise PackageBroken("model_version is not that of the artifact")
    rows = contents["golden_rows"]
    features = np.array([[row["features"][name] for name in FEATURE_NAMES] for row in rows], dtype=np.float32)
    scores, thresholds = open_session(artifact).run(["score", "thresholds"], {"features": features})
    if [float(threshold) for threshold in thresholds] != [contents["thresholds"][bucket] for bucket in BUCKETS]:
        raise PackageBroken("thresholds are not the artifact's")
    for row, score in zip(rows, scores):
        if abs(float(score) - row["score"]) > 1e-6 or bucket_of(score, thresholds) != row["bucket"]:
            raise PackageBroken(f"golden row '{row['name']}': {float(score)} instead of {row['score']}")
    return contents
