"""Run `python -m pytest` in this folder. Uses small cohorts and the whole pipeline; takes about ten seconds."""

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import onnx
import pytest

from cohort import synthetic_cohort
from clickhouse import ClickHouseFailed, clickhouse_installs
from dataset import TooLittleData, dataset, split_by_time
from evaluate import bucket_of, bucket_table, calibration_error, lift_table, reference, reliability_table, thresholds_of
from export import ExportDiffers, export, float32_at_most, open_session, run, verify_export
from features import BUCKETS, FEATURES
from learn import Model, NotCalibratable, learn
from package import ARTIFACT, MANIFEST, PackageBroken, verify_package
from train import PACKAGE, main, train

SEED = 11
ROWS = 50_000


@pytest.fixture(scope="module")
def cohort():
    return synthetic_cohort(ROWS, SEED)


@pytest.fixture(scope="module")
def split(cohort):
    return split_by_time(cohort)


@pytest.fixture(scope="module")
def model(split):
    return learn(split, SEED)


@pytest.fixture(scope="module")
def artifact(model, split):
    return export(model, thresholds_of(model.scores(split.holdout.features)), "synthetic")


class TestCohort:
    def test_same_seed_same_installs(self, cohort):
        again = synthetic_cohort(ROWS, SEED)
        assert np.array_equal(again.features, cohort.features)
        assert np.array_equal(again.paid, cohort.paid)
        assert not np.array_equal(synthetic_cohort(ROWS, SEED + 1).features, cohort.features)

    def test_features_keep_the_contracts_types_and_bounds(self, cohort):
        for feature, column in zip(FEATURES, cohort.features.T):
            assert column.min() >= feature.minimum
            assert feature.maximum is None or column.max() <= feature.maximum
            if feature.type == "integer":
                assert np.array_equal(column, np.round(column))

    def test_base_rate_is_near_the_guidance_table(self, cohort):
        assert 0.02 < cohort.paid.mean() < 0.035


class TestSplit:
    def test_no_install_is_evaluated_by_a_model_trained_on_a_later_one(self, split):
        assert split.train.at.max() <= split.calibration.at.min()
        assert split.calibration.at.max() <= split.holdout.at.min()
        assert len(split.train) + len(split.calibration) + len(split.holdout) == ROWS

    def test_too_few_payers_are_refused(self, cohort):
        with pytest.raises(TooLittleData, match="payers"):
            split_by_time(cohort.part(slice(0, 500)))

    def test_a_feature_that_is_not_finite_is_refused(self):
        with pytest.raises(ValueError):
            dataset(np.full((1, 6), np.nan), np.array([False]), np.array([0.0]))


class TestMeasures:
    def test_a_score_equal_to_a_threshold_is_in_the_bucket(self):
        scores = (np.arange(1, 1001) / 1001).astype(np.float32)
        thresholds = thresholds_of(scores)
        assert [int((scores >= threshold).sum()) for threshold in thresholds] == [10, 50, 100]
        for bucket, threshold in zip(BUCKETS, thresholds):
            assert threshold in scores
            assert bucket_of(threshold, thresholds) == bucket
            assert bucket_of(np.nextafter(threshold, np.float32(0)), thresholds) != bucket

    def test_buckets_hold_every_install_once(self, split, model):
        scores = model.scores(split.holdout.features).astype(np.float32)
        table = bucket_table(scores, split.holdout.paid, thresholds_of(scores))
        assert sum(row["installs"] for row in table) == len(split.holdout)
        assert [row["bucket"] for row in table] == [*BUCKETS, "rest"]

    def test_lift_of_a_perfect_and_of_a_useless_score(self):
        paid = np.arange(1000) % 100 == 0
        perfect = lift_table(paid.astype(float), paid)
        assert perfect[0] == {"top_share": 0.01, "paid_share": 1.0, "lift": 100.0, "payers_found": 1.0}
        useless = lift_table(np.random.default_rng(1).random(1000), paid)
        assert useless[2]["lift"] < 3

    def test_calibration_error_is_the_difference_between_scores_and_outcomes(self):
        paid = np.arange(1000) % 10 == 0
        assert calibration_error(reliability_table(np.full(1000, 0.1), paid)) < 1e-9
        assert abs(calibration_error(reliability_table(np.full(1000, 0.3), paid)) - 0.2) < 1e-9

    @pytest.mark.parametrize(
        "values", [np.arange(1000), np.zeros(10), np.array([0, 0, 0, 5]), np.repeat([0, 1, 2], 50)]
    )
    def test_reference_bins_hold_every_value_once(self, values):
        bins = reference(values.astype(float))
        assert len(bins["shares"]) == len(bins["edges"]) + 1
        assert abs(sum(bins["shares"]) - 1) < 1e-12
        assert all(share > 0 for share in bins["shares"])
        first = bins["edges"][0] if bins["edges"] else np.inf
        assert bins["shares"][0] == (values <= first).mean()


class TestLearning:
    def test_scores_match_outcomes(self, split, model):
        scores = model.scores(split.holdout.features)
        assert lift_table(scores, split.holdout.paid)[0]["lift"] > 8
        assert calibration_error(reliability_table(scores, split.holdout.paid)) < 0.01

    def test_reversed_labels_are_refused(self, split):
        turned = dataset(split.calibration.features, ~split.calibration.paid, split.calibration.at)
        with pytest.raises(NotCalibratable):
            learn(type(split)(split.train, turned, split.holdout), SEED)


class TestExport:
    def test_scores_equal_the_original(self, split, model, artifact):
        verified = verify_export(model, artifact, split.holdout.features[:1000])
        assert verified["largest_difference"] <= 1e-6

    def test_inputs_on_either_side_of_a_split_go_the_same_way(self, split, model, artifact):
        # Around the installs of the holdout, so that many splits deep in a tree are reached too.
        installs = iter(np.resize(split.holdout.features, (20_000, 6)))
        rows = []
        for (predictor,) in model.trees._predictors:
            for node in predictor.nodes:
                if node["is_leaf"]:
                    continue
                edge = np.float32(node["num_threshold"])
                for value in (np.nextafter(edge, np.float32(-np.inf)), edge, np.nextafter(edge, np.float32(np.inf))):
                    row = next(installs).copy()
                    row[node["feature_idx"]] = max(value, np.float32(0))
                    rows.append(row)
        assert len(rows) > 3000
        assert verify_export(model, artifact, np.array(rows))["largest_difference"] <= 1e-6

    def test_float32_splits_are_never_above_the_float64_ones(self):
        rng = np.random.default_rng(2)
        for threshold in [0.1, 0.5, 1e-9, 123.45, *rng.uniform(0, 2000, 500)]:
            rounded = float32_at_most(threshold)
            assert rounded <= threshold < float(np.nextafter(np.float32(rounded), np.float32(np.inf)))

    def test_same_model_same_bytes(self, split, model, artifact):
        assert export(model, thresholds_of(model.scores(split.holdout.features)), "synthetic") == artifact
        again = learn(split, SEED)
        assert export(again, thresholds_of(again.scores(split.holdout.features)), "synthetic") == artifact

    def test_other_thresholds_make_another_artifact(self, model, artifact):
        assert export(model, np.array([0.3, 0.2, 0.1]), "synthetic") != artifact

    def test_a_changed_leaf_is_noticed(self, split, model, artifact):
        changed = onnx.load_from_string(artifact)
        weights = next(each for each in changed.graph.node[0].attribute if each.name == "target_weights").floats
        for index in range(len(weights)):
            weights[index] *= 1.001
        with pytest.raises(ExportDiffers):
            verify_export(model, changed.SerializeToString(), split.holdout.features[:1000])

    def test_another_calibration_is_noticed(self, split, model, artifact):
        with pytest.raises(ExportDiffers):
            other = Model(model.trees, model.slope, model.offset + 0.001)
            verify_export(other, artifact, split.holdout.features[:1000])


@pytest.fixture(scope="module")
def folder(cohort, tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    train(cohort, {"data": "synthetic"}, SEED, folder)
    return folder


class TestPackage:
    def test_golden_rows_stand_on_every_edge(self, folder):
        contents = verify_package(folder)
        for bucket in BUCKETS:
            (edge,) = [row for row in contents["golden_rows"] if row["name"] == f"exactly the threshold of {bucket}"]
            assert edge["score"] == contents["thresholds"][bucket]
            assert edge["bucket"] == bucket

    def test_same_seed_same_files(self, cohort, folder, tmp_path):
        train(cohort, {"data": "synthetic"}, SEED, tmp_path)
        for file in folder.iterdir():
            assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name

    def test_the_card_says_that_the_data_is_synthetic(self, folder):
        card = (folder / "MODEL_CARD.md").read_text()
        assert "No real player data exists here" in card
        assert verify_package(folder)["model_version"] in card

    @pytest.mark.parametrize("damage", ["artifact", "score", "bucket", "thresholds"])
    def test_a_damaged_package_is_refused(self, folder, tmp_path, damage):
        contents = json.loads((folder / MANIFEST).read_text())
        artifact = bytearray((folder / ARTIFACT).read_bytes())
        if damage == "artifact":
            artifact[len(artifact) // 2] ^= 1
        elif damage == "thresholds":
            contents["thresholds"]["top_1pct"] += 0.01
        else:
            contents["golden_rows"][3][damage] = 0.9 if damage == "score" else "top_1pct"
        (tmp_path / ARTIFACT).write_bytes(bytes(artifact))
        (tmp_path / MANIFEST).write_text(json.dumps(contents))
        with pytest.raises(PackageBroken):
            verify_package(tmp_path)

    def test_the_shipped_package_is_consistent(self):
        contents = verify_package(PACKAGE)
        assert contents["verification"]["largest_difference"] <= 1e-6
        assert contents["artifact"]["size_bytes"] < 1_000_000


class Answering(BaseHTTPRequestHandler):
    """The part of ClickHouse's HTTP interface that training uses: returns `status` and `body`, records requests."""

    status, body, asked = 200, b"", []

    def do_POST(self):
        sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
        search = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        type(self).asked.append((search, sql, dict(self.headers)))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def clickhouse():
    class Server(Answering):
        asked = []

    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Server, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


WINDOW = {"since": "2026-01-01T00:00:00Z", "until": "2026-03-01T00:00:00Z", "rows": 1000}


class TestClickHouse:
    def test_reads_features_labels_and_times_in_order_of_time(self, clickhouse):
        server, url = clickhouse
        server.body = b"3\t612.5\t98.2\t2\t18\t11\t1\t1770000060.5\n0\t0\t0\t0\t0\t0\t0\t1770000000\n"
        data = clickhouse_installs(url, game="demo", **WINDOW)
        assert data.features.tolist() == [[0] * 6, [3, 612.5, np.float32(98.2), 2, 18, 11]]
        assert data.paid.tolist() == [False, True]
        assert data.at.tolist() == [1770000000, 1770000060.5]
        search, sql, _ = server.asked[0]
        assert search["param_game"] == ["demo"] and search["param_until"] == [WINDOW["until"]]
        assert "FROM scores" in sql

    def test_credentials_from_the_environment_are_sent_in_headers(self, clickhouse, monkeypatch):
        server, url = clickhouse
        server.body = b"0\t0\t0\t0\t0\t0\t0\t1770000000\n"
        monkeypatch.setenv("CLICKHOUSE_USER", "trainer")
        monkeypatch.setenv("CLICKHOUSE_PASSWORD", "secret")
        clickhouse_installs(url, **WINDOW)
        search, _, headers = server.asked[0]
        assert headers["X-Clickhouse-User"] == "trainer" and headers["X-Clickhouse-Key"] == "secret"
        assert "secret" not in str(search)

    def test_errors_have_clickhouses_message(self, clickhouse):
        server, url = clickhouse
        server.status = 404
        server.body = b"Code: 60. DB::Exception: Table default.scores does not exist. (UNKNOWN_TABLE)"
        with pytest.raises(ClickHouseFailed, match="UNKNOWN_TABLE"):
            clickhouse_installs(url, **WINDOW)

    def test_nothing_scored_is_too_little(self, clickhouse):
        with pytest.raises(TooLittleData):
            clickhouse_installs(clickhouse[1], **WINDOW)

    def test_trains_a_whole_package_from_rows_as_clickhouse_sends_them(self, clickhouse, cohort, tmp_path):
        server, url = clickhouse
        server.body = "".join(
            "\t".join([*(f"{value:.9g}" for value in row), str(int(paid)), f"{at:.3f}"]) + "\n"
            for row, paid, at in zip(cohort.features, cohort.paid, cohort.at)
        ).encode()
        assert main(["--from-clickhouse", url, "--out", str(tmp_path), "--seed", str(SEED)]) == 0
        contents = verify_package(tmp_path)
        assert contents["training"]["data"] == "clickhouse"
        assert contents["training"]["installs"] == ROWS
        assert "No real player data" not in (tmp_path / "MODEL_CARD.md").read_text()
        assert url not in (tmp_path / MANIFEST).read_text()

    def test_a_failure_leaves_the_package_as_it_was(self, clickhouse, tmp_path, capsys):
        server, url = clickhouse
        server.body = b"0\t0\t0\t0\t0\t0\t0\t1770000000\n"
        (tmp_path / MANIFEST).write_text("before")
        assert main(["--from-clickhouse", url, "--out", str(tmp_path)]) == 1
        assert "TooLittleData" in capsys.readouterr().err
        assert [file.name for file in tmp_path.iterdir()] == [MANIFEST]
        assert (tmp_path / MANIFEST).read_text() == "before"


def test_scores_of_the_artifact_are_float32(artifact, split):
    scores = run(open_session(artifact), split.holdout.features[:10])
    assert scores.dtype == np.float32 and scores.shape == (10,)
