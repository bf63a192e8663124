"""Trains the first-user conversion model and writes its package. `python train.py --help` lists the options."""

import argparse
import json
import sys
from pathlib import Path

import onnx
import onnxruntime
import sklearn
from numpy import __version__ as numpy_version

from card import model_card
from clickhouse import ClickHouseFailed, clickhouse_installs
from cohort import synthetic_cohort
from dataset import Dataset, TooLittleData, split_by_time
from evaluate import evaluate, importance, thresholds_of
from export import ExportDiffers, export, open_session, run, verify_export
from learn import HYPERPARAMETERS, NotCalibratable, learn
from package import PackageBroken, manifest, verify_package, write_package

PACKAGE = Path(__file__).resolve().parent.parent / "first-user-conversion"
VERIFIED_ROWS = 1000


def main(arguments: list[str]) -> int:
    """Returns exit code 0 if the package was written or verified, else 1 with a message on stderr."""
    options = parse(arguments)
    try:
        if options.verify:
            print(f"{verify_package(options.out)['model_version']}: digest, thresholds and golden rows are correct")
            return 0
        contents = train(read(options), source(options), options.seed, options.out)
    except (ClickHouseFailed, TooLittleData, NotCalibratable, ExportDiffers, PackageBroken, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(json.dumps({key: contents[key] for key in ("model_version", "thresholds", "verification")}, indent=2))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains the first-user conversion model and writes its package.")
    add = parser.add_argument
    add("--out", type=Path, default=PACKAGE, help="folder of the package (default: the shipped package)")
    add("--seed", type=int, default=20260105, help="seed of cohort and training; it determines the artifact")
    add("--rows", type=int, help="maximum of installs (default 200,000 synthetic, 2,000,000 from ClickHouse)")
    add("--from-clickhouse", metavar="URL", help="train on scores and purchases instead of the synthetic cohort")
    add("--game", default="", help="game_id, with --from-clickhouse (default: all games)")
    add("--since", default="2020-01-01T00:00:00Z", help="scores from this time on, RFC 3339")
    add("--until", default="2100-01-01T00:00:00Z", help="scores before this time, RFC 3339")
    add("--verify", action="store_true", help="verify the package in --out without training")
    return parser.parse_args(arguments)


def read(options: argparse.Namespace) -> Dataset:
    """Reads the labelled installs that the options select."""
    if options.from_clickhouse is None:
        return synthetic_cohort(options.rows or 200_000, options.seed)
    return clickhouse_installs(
        options.from_clickhouse,
        game=options.game,
        since=options.since,
        until=options.until,
        rows=options.rows or 2_000_000,
    )


def source(options: argparse.Namespace) -> dict:
    """The source of the installs, for manifest and card. It contains no address, because packages are published."""
    if options.from_clickhouse is None:
        return {"data": "synthetic"}
    return {"data": "clickhouse", "game_id": options.game or None}


def train(data: Dataset, data_source: dict, seed: int, out: Path) -> dict:
    """Trains, calibrates, exports, verifies and evaluates a model, then replaces the package in `out`. Returns the
    manifest."""
    split = split_by_time(data)
    parts = (("train", split.train), ("calibration", split.calibration), ("holdout", split.holdout))
    model = learn(split, seed)
    # Thresholds are percentiles of the artifact's scores, so a first artifact is made with approximate thresholds.
    draft = export(model, thresholds_of(model.scores(split.holdout.features)), data_source["data"])
    thresholds = thresholds_of(run(open_session(draft), split.holdout.features))
    artifact = export(model, thresholds, data_source["data"])
    session = open_session(artifact)
    scores = run(session, split.holdout.features)
    contents = manifest(
        artifact,
        thresholds,
        split.holdout,
        scores,
        {
            "training": {
                **data_source,
                "seed": seed,
                "installs": len(data),
                "window": data.window(),
                "split": {
                    name: {**part.window(), "installs": len(part), "payers": part.payers()}
                    for name, part in parts
                },
                "algorithm": "HistGradientBoostingClassifier, Platt scaling",
                "hyperparameters": HYPERPARAMETERS,
                "calibration": {"slope": model.slope, "offset": model.offset},
                "libraries": {
                    "scikit-learn": sklearn.__version__,
                    "onnx": onnx.__version__,
                    "onnxruntime": onnxruntime.__version__,
                    "numpy": numpy_version,
                },
            },
            "metrics": {
                "holdout": evaluate(scores, split.holdout.paid, thresholds),
                "importance": importance(lambda features: run(session, features), split.holdout, seed),
            },
            "verification": verify_export(model, artifact, split.holdout.features[:VERIFIED_ROWS]),
        },
    )
    write_package(out, artifact, contents, model_card(contents))
    return verify_package(out)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
