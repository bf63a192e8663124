"""Metrics of a model on installs that it was not trained on."""

import numpy as np
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from dataset import Dataset
from features import BUCKETS, FEATURE_NAMES, PERCENTILES

RELIABILITY_GROUPS = 10
LIFT_SHARES = (0.01, 0.05, 0.10)
REFERENCE_BINS = 10


def thresholds_of(scores: np.ndarray) -> np.ndarray:
    """Cutoffs of the buckets, float32 [3], best bucket first. Each is a score of the data (the next one at or above the
    percentile), so the comparison of two float32 numbers is exact. A score equal to a threshold is in the bucket."""
    return np.percentile(scores.astype(np.float32), PERCENTILES, method="higher").astype(np.float32)


def bucket_of(score: float, thresholds: np.ndarray) -> str:
    """The first bucket whose threshold the score reaches, else `rest`."""
    for bucket, threshold in zip(BUCKETS, thresholds):
        if score >= threshold:
            return bucket
    return "rest"


def evaluate(scores: np.ndarray, paid: np.ndarray, thresholds: np.ndarray) -> dict:
    """Log-loss, Brier score, areas, reliability, lift and buckets of scores against outcomes."""
    scores = scores.astype(np.float64)
    base_rate = float(paid.mean())
    reliability = reliability_table(scores, paid)
    return {
        "installs": len(paid),
        "payers": int(paid.sum()),
        "base_rate": base_rate,
        "log_loss": float(log_loss(paid, scores)),
        "log_loss_of_base_rate": float(log_loss(paid, np.full(len(paid), base_rate))),
        "pr_auc": float(average_precision_score(paid, scores)),
        "roc_auc": float(roc_auc_score(paid, scores)),
        "brier": float(brier_score_loss(paid, scores)),
        "brier_of_base_rate": base_rate * (1 - base_rate),
        "expected_calibration_error": calibration_error(reliability),
        "reliability": reliability,
        "lift": lift_table(scores, paid),
        "buckets": bucket_table(scores, paid, thresholds),
    }


def reliability_table(scores: np.ndarray, paid: np.ndarray) -> list[dict]:
    """Ten groups of equal size by score, lowest first: the mean score and the share of payers."""
    groups = np.array_split(np.argsort(scores, kind="stable"), RELIABILITY_GROUPS)
    return [
        {
            "installs": len(group),
            "from_score": float(scores[group[0]]),
            "mean_score": float(scores[group].mean()),
            "paid_share": float(paid[group].mean()),
        }
        for group in groups
        if len(group) > 0
    ]


def calibration_error(reliability: list[dict]) -> float:
    """Expected calibration error: the mean difference between mean score and share of payers, weighted by installs
    (M. P. Naeini et al., "Obtaining Well Calibrated Probabilities Using Bayesian Binning", 2015; here with groups
    of equal size)."""
    installs = sum(group["installs"] for group in reliability)
    return sum(group["installs"] * abs(group["mean_score"] - group["paid_share"]) for group in reliability) / installs


def lift_table(scores: np.ndarray, paid: np.ndarray) -> list[dict]:
    """For the top 1, 5 and 10 % by score (cumulative): the share of payers, its ratio to the base rate, and the part of
    all payers."""
    order = np.argsort(-scores, kind="stable")
    rows = []
    for share in LIFT_SHARES:
        top = paid[order[: max(1, round(share * len(paid)))]]
        rows.append(
            {
                "top_share": share,
                "paid_share": float(top.mean()),
                "lift": float(top.mean() / paid.mean()),
                "payers_found": float(top.sum() / paid.sum()),
            }
        )
    return rows


def bucket_table(scores: np.ndarray, paid: np.ndarray, thresholds: np.ndarray) -> list[dict]:
    """The API's guidance table with outcomes; each bucket excludes those above it. `standard_error` is that of
    `paid_share` as a binomial proportion."""
    edges = [float(threshold) for threshold in thresholds]
    uppers = [np.inf, *edges]
    rows = []
    for bucket, lower, upper in zip((*BUCKETS, "rest"), (*edges, -np.inf), uppers):
        inside = (scores >= lower) & (scores < upper)
        count = int(inside.sum())
        share = float(paid[inside].mean()) if count > 0 else None
        rows.append(
            {
                "bucket": bucket,
                "threshold": None if lower == -np.inf else lower,
                "installs": count,
                "mean_score": float(scores[inside].mean()) if count > 0 else None,
                "paid_share": share,
                "standard_error": None if share is None else float(np.sqrt(share * (1 - share) / count)),
            }
        )
    return rows


def importance(score, holdout: Dataset, seed: int) -> dict:
    """The increase of log-loss on the holdout when a feature's column is shuffled, per feature (permutation importance,
    L. Breiman, "Random Forests", 2001). `score` maps features to scores."""
    rng = np.random.default_rng(seed)
    before = log_loss(holdout.paid, score(holdout.features).astype(np.float64))
    grown = {}
    for column, name in enumerate(FEATURE_NAMES):
        shuffled = holdout.features.copy()
        rng.shuffle(shuffled[:, column])
        grown[name] = float(log_loss(holdout.paid, score(shuffled).astype(np.float64)) - before)
    return grown


def reference(values: np.ndarray) -> dict:
    """The reference distribution for drift: inner bin edges and the share of values in each bin. Bin i has the values
    `edges[i-1] < value <= edges[i]`; the first and last bins are unbounded. Edges are deciles without repeats."""
    deciles = np.percentile(values, np.linspace(0, 100, REFERENCE_BINS + 1)[1:-1], method="lower")
    edges = np.unique(deciles[deciles < values.max()])
    counts = np.bincount(np.searchsorted(edges, values, side="left"), minlength=len(edges) + 1)
    return {"edges": [float(edge) for edge in edges], "shares": [float(count) for count in counts / len(values)]}
