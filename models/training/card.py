"""The model card, written from the manifest so that no number in it is older than the model."""

import cohort

SYNTHETIC = """\
**This model has learned from synthetic installs. No real player data exists here.** It shows that the machinery works, from
training to the answer; its figures say nothing about any real game. Before a score decides anything, retrain it on real scores and
purchases (`train.py --from-clickhouse`).
"""

REAL = """\
This model has learned from scores and purchases that the service recorded in its live environment. A device's label is whether a
player with that device made the first purchase within 24 hours after the score; devices that had already paid are left out, and a
device that no player names counts as one that did not pay. Devices that were shown an offer because of an earlier model's score are
among them: the model learns from a world that its predecessor changed.
"""


def model_card(manifest: dict) -> str:
    """The card in Markdown."""
    training, holdout = manifest["training"], manifest["metrics"]["holdout"]
    synthetic = training["data"] == "synthetic"
    label = ", synthetic installs" if synthetic else ""
    sections = [
        f"# Model card: {manifest['name']}, version `{manifest['model_version']}`",
        SYNTHETIC if synthetic else REAL,
        "## What it says\n\n"
        "The probability, 0 to 1, that a new install pays within its first day, from six numbers about its first 30 minutes. Meant for\n"
        "choosing whom to show a starter offer; not for prices, not for anything a person could be wronged by.",
        table(
            ["feature", "type", "unit", "bounds", "seen in the holdout", "log-loss grows without it by"],
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
        "What is not known arrives as 0, as the API documents it, so the model cannot tell \"none\" from \"not reported\". The last column\n"
        "is permutation importance on the holdout.",
        "## How it was made\n\n" + made(training),
        f"## Holdout{label}\n\n" + headline(training, holdout),
        "Buckets as the service answers them (a score equal to a threshold belongs to the bucket):",
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
                [f"{row['top_share']:.0%}", percent(row["paid_share"]), f"{row['lift']:.1f}×", percent(row["payers_found"])]
                for row in holdout["lift"]
            ],
        ),
        f"Reliability, ten groups of equal size (expected calibration error {holdout['expected_calibration_error']:.4f}):",
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
- Nothing here was measured on players. The mechanism below was chosen so that the buckets come out near the API's guidance
  table; that they do is no evidence of anything.
- The API describes a model trained on iOS users in one country. The cohort imitates one country's day and no more.
- Thresholds are percentiles of the synthetic holdout. On real traffic the top bucket may hold far more or less than 1 %.
- Scores earlier than 30 minutes are answered, and are worse."""

REAL_LIMITS = """\
- It knows the games, platforms and countries it was trained on. Others are off-distribution.
- Scores earlier than 30 minutes are answered, and are worse.
- Thresholds are percentiles of the holdout; they drift with the players."""


def made(training: dict) -> str:
    split = training["split"]
    rows = [
        [name, part["from"], part["until"], f"{part['installs']:,}", f"{part['payers']:,}"] for name, part in split.items()
    ]
    libraries = ", ".join(f"{name} {version}" for name, version in training["libraries"].items())
    return (
        f"{training['algorithm']}; seed {training['seed']}; calibration slope {training['calibration']['slope']:.3f}, offset "
        f"{training['calibration']['offset']:.3f}. {libraries}. Split by time, so that no install is judged by a model that saw a "
        f"later one:\n\n" + table(["part", "from", "until", "installs", "payers"], rows)
    )


def headline(training: dict, holdout: dict) -> str:
    return table(
        ["measure", "model", "always saying the base rate"],
        [
            ["log-loss", f"{holdout['log_loss']:.4f}", f"{holdout['log_loss_of_base_rate']:.4f}"],
            ["Brier score", f"{holdout['brier']:.4f}", f"{holdout['brier_of_base_rate']:.4f}"],
            ["area under precision-recall", f"{holdout['pr_auc']:.3f}", f"{holdout['base_rate']:.3f}"],
            ["area under ROC", f"{holdout['roc_auc']:.3f}", "0.500"],
        ],
    )


def artifact(manifest: dict) -> str:
    verification = manifest["verification"]
    return (
        f"`{manifest['artifact']['file']}`, {manifest['artifact']['size_bytes']:,} bytes, SHA-256 `{manifest['artifact']['sha256']}`. "
        f"Input `features` float32 [N, 6] in the order above; outputs `score` float32 [N] and `thresholds` float32 [3]. On "
        f"{verification['rows']:,} holdout rows its scores are at most {verification['largest_difference']:.1e} from the original's "
        f"(allowed: {verification['tolerance']:g}), and every row alone gives the bits it gives in a batch."
    )


def percent(share: float | None, digits: int = 1) -> str:
    return "" if share is None else f"{share:.{digits}%}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
