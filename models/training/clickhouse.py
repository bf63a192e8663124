"""Labelled installs from ClickHouse: real players instead of the synthetic cohort."""

import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np

from dataset import Dataset, TooLittleData, dataset
from features import FEATURE_NAMES

QUERY = Path(__file__).with_name("installs.sql")
TIMEOUT_SECONDS = 600


class ClickHouseFailed(Exception):
    """ClickHouse did not respond, or returned an error, which is the message."""


def clickhouse_installs(url: str, *, game: str = "", since: str, until: str, rows: int) -> Dataset:
    """Scored devices of the live environment with the label whether they paid within a day (see installs.sql).

    `url` is ClickHouse's HTTP interface. `game` is a game_id, or empty for all. `since` (inclusive) and `until`
    (exclusive) are times in RFC 3339. Returns at most `rows` devices, sampled if there are more. CLICKHOUSE_USER,
    CLICKHOUSE_PASSWORD and CLICKHOUSE_DATABASE apply if set. Raises ClickHouseFailed, and TooLittleData without
    devices.
    """
    search = urllib.parse.urlencode(
        {
            "param_game": game,
            "param_from": since,
            "param_until": until,
            "param_rows": rows,
            # Without this, an error may be at the end of a response with status 200.
            "wait_end_of_query": 1,
        }
    )
    request = urllib.request.Request(f"{url.rstrip('/')}/?{search}", data=QUERY.read_bytes(), headers=credentials())
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        raise ClickHouseFailed(error.read(2000).decode(errors="replace").strip()) from error
    except OSError as error:
        raise ClickHouseFailed(str(error)) from error
    return parse(text)


def parse(text: str) -> Dataset:
    """Lines of tab-separated values: the features, the label, the time in seconds."""
    lines = text.splitlines()
    if not lines:
        raise TooLittleData("no scored device of that time has a label")
    rows = np.array([line.split("\t") for line in lines], dtype=np.float64)
    width = len(FEATURE_NAMES)
    return dataset(rows[:, :width], rows[:, width] > 0, rows[:, width + 1])


def credentials() -> dict[str, str]:
    """Headers with account and database from the environment; none if the variables are not set."""
    names = {
        "X-ClickHouse-User": "CLICKHOUSE_USER",
        "X-ClickHouse-Key": "CLICKHOUSE_PASSWORD",
        "X-ClickHouse-Database": "CLICKHOUSE_DATABASE",
    }
    return {header: os.environ[variable] for header, variable in names.items() if os.environ.get(variable)}
