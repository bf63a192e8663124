"""The model card, generated from the manifest so that its numbers always belong to the model."""

import cohort

SYNTHETIC = """\
**This model was trained on synthetic installs. No real player data exists here.** It demonstrates the path from
training to a response; its figures are not valid for any real game. Before you act on a score, retrain the model on
real scores and purchases (`train.py --from-clickhouse`).
"""

REAL = """\
This model was trained on scores and purchases that the service recorded in its live environment. A device's label is
whether a player with that device made the first purchase within 24 hours after the score. Devices that had already paid
are left out; a device without a player counts as one that did not pay. The data includes devices that were shown an
offer because of an earlier model's score, so the earlier model influenced the labels.
"""


def model_card(manifest: dict) -> str:
    """The card in Markdown."""
    training, holdout = manifest["training"], manifest["metrics"]["holdout"]
    synthetic = training["data"] == "synthetic"
    label = ", synthetic installs" if synthetic else ""
    sections = [
        f"# Model card: {manifest['name']}, version `{manifest['model_version']}`",
        SYNTHETIC if synthetic else REAL,
        "## Purpose\n\n"
        "The probability, 0 to 1, that a new install pays within its first day, from six numbers about its first 30\n"
        "minutes. Use it to select players for a starter offer. Do not use it for prices or for decisions that could\n"
        "harm a person.",
        table(
            ["feature", "type", "unit", "bounds", "range in the holdout", "log-loss increase without it"],
            [
                [
                    feature["name"],
                    feature["type"],
                    feature["unit"],
                    f"{feature['minimum']} to {'∞' if feature['maximum'] is None else feature['maximum']}",
                    f"{feature['seen']['minimum']:g} to {feature['seen']['maximum']:g}",
                    f"{manifest['metrics']['importance'][feature['name']]:.4f}",
                ]
                for feature in manifest["features"]
            ],
        ),
        "An unknown value is 0, as documented in the API, so the model cannot distinguish \"none\" from \"not\n"
        "reported\". The last column is permutation importance on the holdout.",
        "## Training\n\n" + made(training),
        f"## Holdout{label}\n\n" + headline(training, holdout),
        "Buckets as in the service's responses (a score equal to a threshold is in the bucket):",
        table(
            ["bucket", "threshold", "installs", "mean score", "paid within a day", "± standard error"],
            [
                [
                    row["bucket"],
                    "" if row["threshold"] is None else f"{row['threshold']:.4f}",
                    f"{row['installs']:,}",
                    percent(row["mean_score"]),
                    percent(row["paid_share"]),
                    percent(row["standard_error"]),
                ]
                for row in holdout["buckets"]
            ],
        ),
        "Lift, cumulative from the top:",
        table(
            ["top", "paid within a day", "lift", "share of all payers"],
            [
                [
                    f"{row['top_share']:.0%}",
                    percent(row["paid_share"]),
                    f"{row['lift']:.1f}×",
                    percent(row["payers_found"]),
                ]
                for row in holdout["lift"]
            ],
        ),
        "Reliability, ten groups of equal size (expected calibration error "
        f"{holdout['expected_calibration_error']:.4f}):",
        table(
            ["scores from", "mean score", "paid within a day"],
            [
                [f"{row['from_score']:.4f}", percent(row["mean_score"], 2), percent(row["paid_share"], 2)]
                for row in holdout["reliability"]
            ],
        ),
        "## The artifact\n\n" + artifact(manifest),
        "## Limits\n\n" + (SYNTHETIC_LIMITS if synthetic else REAL_LIMITS),
    ]
    if synthetic:
        sections.append("## The mechanism behind the synthetic installs\n\n" + (cohort.__doc__ or "").strip())
    return "\n\n".join(section.strip() for section in sections) + "\n"


SYNTHETIC_LIMITS = """\
- Nothing here was measured on players. The mechanism below was chosen so that the buckets are close to the API's
  guidance table; their agreement proves nothing.
- The API describes a model trained on iOS users in one country. The cohort imitates one country's hours only.
- Thresholds are percentiles of the synthetic holdout. The top bucket of real traffic may differ much from 1 %.
- Scores in the first 30 minutes are less accurate."""

REAL_LIMITS = """\
- It is valid for the games, platforms and countries of its training data only.
- Scores in the first 30 minutes are less accurate.
- Thresholds are percentiles of the holdout; they drift with the players."""


def made(training: dict) -> str:
    split = training["split"]
    rows = [
        [name, part["from"], part["until"], f"{part['installs']:,}", f"{part['payers']:,}"]
        for name, part in split.items()
    ]
    libraries = ", ".join(f"{name} {version}" for name, version in training["libraries"].items())
    calibration = training["calibration"]
    return (
        f"{training['algorithm']}; seed {training['seed']}; calibration slope {calibration['slope']:.3f}, offset "
        f"{calibration['offset']:.3f}.\nLibraries: {libraries}.\n"
        "The data is split by time, so no install is evaluated by a model that was trained on a later one:\n\n"
        + table(["part", "from", "until", "installs", "payers"], rows)
    )


def headline(training: dict, holdout: dict) -> str:
    return table(
        ["measure", "model", "constant base rate"],
        [
            ["log-loss", f"{holdout['log_loss']:.4f}", f"{holdout['log_loss_of_base_rate']:.4f}"],
            ["Brier score", f"{holdout['brier']:.4f}", f"{holdout['brier_of_base_rate']:.4f}"],
            ["area under precision-recall", f"{holdout['pr_auc']:.3f}", f"{holdout['base_rate']:.3f}"],
            ["area under ROC", f"{holdout['roc_auc']:.3f}", "0.500"],
        ],
    )


def artifact(manifest: dict) -> str:
    verification = manifest["verification"]
    file = manifest["artifact"]
    return (
        f"`{file['file']}`, {file['size_bytes']:,} bytes, SHA-256\n`{file['sha256']}`.\n\n"
        "Input: `features`, float32 [N, 6] in the order above. Outputs: `score`, float32 [N], and `thresholds`, "
        f"float32 [3].\nOn {verification['rows']:,} holdout rows its scores differ from the original's by at most "
        f"{verification['largest_difference']:.1e} (allowed: {verification['tolerance']:g}),\n"
        "and every row has the same bits alone and in a batch."
    )


def percent(share: float | None, digits: int = 1) -> str:
    return "" if share is None else f"{share:.{digits}%}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
