"""The synthetic cohort. NO REAL DATA EXISTS HERE: every number below is an assumption. They were chosen so that the
holdout is close to the API's guidance table (about 47 % payers in the top 1 %, about 2.5 % overall). Nothing was
measured on players.

The mechanism of an install (`z` are independent standard normal draws):

1. Unobserved traits. Intent to spend, `intent = z0`. Engagement, `0.45 * intent + 0.89 * z1`. Skill, `z2`. Two in a
   hundred are "hunters", who open more loot cases and are far more likely to pay.
2. Time. Installs spread over 56 days, with more at weekends. The hour follows one country's day (a low at 03:00 UTC, a
   peak at 18:00); players with high intent install later in the evening. From day 40 on a live event gives away loot
   cases, so the holdout differs from the training data.
3. Play. Active seconds are log-normal in engagement, at most 30 minutes. Fight time is 60 to 240 s, shorter with more
   skill. The number of matches is Poisson in the time; wins are binomial in skill.
4. Loot. Opened types are Poisson in engagement, intent, time played and being a hunter, at most 14. Virtual-currency
   events are Poisson in matches, loot and intent.
5. Paying within a day is random. Its odds depend on the unobserved intent and hunting, and on loot types, wins, time
   and frustration. So even a perfect model of the six features is often wrong.
6. Observation. 6 % are scored early, with only a part of their first session. 3 % have an old client without fight
   times, which are then 0. Durations are rounded to a tenth of a second.
"""

from datetime import datetime, timezone

import numpy as np

from dataset import Dataset, dataset

DAYS = 56
EVENT_FROM_DAY = 40
START = datetime(2026, 1, 5, tzinfo=timezone.utc)
"""A Monday. Fixed, so that the same seed always makes the same cohort."""

MAXIMUM_SECONDS = 1800
LOOT_TYPES = 14


def synthetic_cohort(rows: int, seed: int) -> Dataset:
    """`rows` labelled installs in order of time; the same seed gives the same cohort, whatever was drawn before."""
    rng = np.random.default_rng(seed)
    intent = rng.standard_normal(rows)
    engagement = 0.45 * intent + 0.89 * rng.standard_normal(rows)
    skill = rng.standard_normal(rows)
    hunter = rng.random(rows) < 0.02

    day = install_day(rng, rows)
    hour = install_hour(rng, intent)
    at = START.timestamp() + day * 86_400 + hour * 3600 + rng.random(rows) * 3600
    live_event = day >= EVENT_FROM_DAY

    early = rng.random(rows) < 0.06
    seen = np.where(early, rng.uniform(0.1, 0.6, rows), 1.0)
    seconds = np.minimum(np.exp(6.35 + 0.62 * engagement + 0.35 * rng.standard_normal(rows)), MAXIMUM_SECONDS)
    fight_seconds = np.clip(rng.gamma(9.0, 14.0, rows) * np.exp(-0.18 * skill), 25, 420)
    matches = rng.poisson(0.55 * seen * seconds / (fight_seconds + 45))
    wins = rng.binomial(matches, sigmoid(0.15 + 0.75 * skill))

    appetite = np.exp(0.2 + 0.3 * engagement + 0.24 * intent + 0.9 * hunter) * (seconds / 600) ** 0.35
    given_away = np.where(live_event, 1.05, 1.0)
    loot = np.minimum(rng.poisson(seen * appetite * given_away), LOOT_TYPES)
    vpay = rng.poisson(seen * (1.0 + 0.9 * matches + 0.9 * loot) * np.exp(0.1 * intent))

    paid = rng.random(rows) < sigmoid(pay_logit(intent, hunter, appetite, seconds, matches, wins))

    old_client = rng.random(rows) < 0.03
    shown_fight = np.where((matches == 0) | old_client, 0.0, np.round(fight_seconds, 1))
    shown_seconds = np.round(seen * seconds, 1)
    return dataset(np.column_stack([loot, shown_seconds, shown_fight, wins, hour, vpay]), paid, at)


def pay_logit(intent, hunter, appetite, seconds, matches, wins):
    """Log-odds of paying within a day. They rise slowly with a low appetite for loot and fast with a high one."""
    collecting = np.clip(appetite - 2.5, 0, 4.5)
    frustrated = (matches >= 4) & (wins == 0)
    return (
        -6.5
        + 0.9 * intent
        + 1.2 * hunter
        + 0.55 * np.minimum(appetite, 2.5)
        + 0.9 * collecting
        + 0.15 * np.log(seconds / 600)
        + 0.2 * np.minimum(wins, 6)
        - 0.8 * frustrated
    )


def install_day(rng: np.random.Generator, rows: int) -> np.ndarray:
    """The day of the window, 0 to 55. Saturdays and Sundays see 40 % more installs."""
    weights = np.where(np.arange(DAYS) % 7 >= 5, 1.4, 1.0)
    return rng.choice(DAYS, size=rows, p=weights / weights.sum())


def install_hour(rng: np.random.Generator, intent: np.ndarray) -> np.ndarray:
    """The hour in UTC, 0 to 23: one country's day, up to an hour and a half later with high intent."""
    hours = np.arange(24)
    weights = 1.15 + np.cos((hours - 18) * 2 * np.pi / 24)
    drawn = rng.choice(24, size=len(intent), p=weights / weights.sum())
    later = np.round(np.clip(0.5 * intent, 0, 1.5)).astype(int)
    return (drawn + later) % 24


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))
