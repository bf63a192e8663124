"""Labelled installs from ClickHouse: what players did, where the synthetic cohort only assumes."""

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
    """ClickHouse did not answer, or answered with an error; the message is its own."""


def clickhouse_installs(url: str, *, game: str = "", since: str, until: str, rows: int) -> Dataset:
    """Scored devices of the live environment with the label whether they paid within a day (see installs.sql).

    `url` is ClickHouse's HTTP interface. `game` is a game_id, or empty for all. `since` (included) and `until` (excluded) are
    times in RFC 3339. At most `rows` devices, a fair sample if there are more. CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and
    CLICKHOUSE_DATABASE are used where set. Raises ClickHouseFailed, and TooLittleData when no device fits.
    """
    search = urllib.parse.urlencode(
        {
            "param_game": game,
            "param_from": since,
            "param_until": until,
            "param_rows": rows,
            # The status is only right once the query is through; otherwise an error may hide at the end of a 200.
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
    """Headers that name account and database, from the environment; none where it names none."""
    names = {
        "X-ClickHouse-User": "CLICKHOUSE_USER",
        "X-ClickHouse-Key": "CLICKHOUSE_PASSWORD",
        "X-ClickHouse-Database": "CLICKHOUSE_DATABASE",
    }
    return {header: os.environ[variable] for header, variable in names.items() if os.environ.get(variable)}
