"""Gradient-boosted trees with a calibrated sigmoid.

The trees minimise log-loss on the earliest installs. Later installs, which the trees were not trained on, determine two
numbers (Platt scaling: `score = sigmoid(slope * logit + offset)`, J. Platt, "Probabilistic Outputs for Support Vector
Machines", 1999). Isotonic calibration is not used, because it maps many scores to one: percentiles would be in wide
ties, and a threshold would select far more than its 1 % of players.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from dataset import Split

HYPERPARAMETERS = {
    "max_iter": 120,
    "learning_rate": 0.07,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 80,
    "l2_regularization": 5.0,
    "max_bins": 255,
}
"""Few small trees: the signal is smooth, and every tree adds time to every request."""


class NotCalibratable(Exception):
    """On the calibration installs a higher logit did not mean more payers: the model does not generalise."""


@dataclass(frozen=True)
class Model:
    """The trees, and the slope and offset that calibrate their logit."""

    trees: HistGradientBoostingClassifier
    slope: float
    offset: float

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Calibrated probabilities, float64 [N], for float32 features [N, 6]: the reference for an export."""
        return 1.0 / (1.0 + np.exp(-(self.slope * self.trees.decision_function(features) + self.offset)))


def learn(split: Split, seed: int) -> Model:
    """Fits the trees on `split.train` and calibrates them on `split.calibration`. Uses one thread, so sums have one
    order and the same seed gives the same model. Raises NotCalibratable."""
    with threadpool_limits(limits=1):
        trees = HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **HYPERPARAMETERS)
        trees.fit(split.train.features, split.train.paid)
        logits = trees.decision_function(split.calibration.features).reshape(-1, 1)
        platt = LogisticRegression(C=1e6, tol=1e-8, max_iter=1000).fit(logits, split.calibration.paid)
    slope, offset = float(platt.coef_[0, 0]), float(platt.intercept_[0])
    if not slope > 0:
        raise NotCalibratable(f"calibration slope {slope:.3f} is not positive")
    return Model(trees, slope, offset)
