"""The six features of the first-user conversion model: the list behind training, export and manifest.

The order is that of the columns of the model's input. Names, types, bounds and meaning are those of the scoring
endpoint. Every feature defaults to 0 and callers omit unknown values, so 0 also means "not reported".
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """One column of the input. `maximum` is None if the API has no bound."""

    name: str
    type: str
    unit: str
    minimum: int
    maximum: int | None
    description: str


FEATURES = (
    Feature(
        "loot_distinct_types", "integer", "types", 0, None,
        "Distinct loot-case type values opened in the first 30 minutes.",
    ),
    Feature(
        "sess_duration_total", "float", "seconds", 0, None,
        "Sum of the activity durations of session-end events; without idle and background time.",
    ),
    Feature(
        "match_avg_fight_time", "float", "seconds", 0, None,
        "Mean fight time over all matches; without loading.",
    ),
    Feature("match_wins", "integer", "matches", 0, None, "Matches whose result is exactly WIN."),
    Feature("install_hour", "integer", "hour of day, UTC", 0, 23, "Hour of the day of the install, in UTC."),
    Feature(
        "vpay_count", "integer", "events", 0, None,
        "Virtual-currency events, earned and spent; not purchases with real money.",
    ),
)

FEATURE_NAMES = tuple(feature.name for feature in FEATURES)

BUCKETS = ("top_1pct", "top_5pct", "top_10pct")
"""The buckets with a threshold, best first. A score below all three is in `rest`."""

PERCENTILES = (99, 95, 90)
"""The percentile of holdout scores at which each bucket of BUCKETS starts."""
