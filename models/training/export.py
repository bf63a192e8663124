"""The trained model as one ONNX artifact, and the check that it says the same.

The graph: `features` float32 [N, 6] → TreeEnsembleRegressor, which sums the leaves of all trees and the base value, with the
calibration's slope and offset already inside → a logit → sigmoid in float64 → `score` float32 [N]. Beside it, the constant output
`thresholds` float32 [3]: whoever changes a cutoff changes the digest, and with it the model's version.

The sigmoid is taken in float64 and rounded to float32 last. A float32 sigmoid is vectorised, and its last bit is free to differ between
processors or with a row's place in the batch; thresholds are fixed on one machine and met on another, and a score must not change its
bucket with the company it arrives in. (Where this was written, float32 happened to agree in every place of a batch.)
"""

import math

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from features import FEATURE_NAMES
from learn import Model

IR_VERSION = 8
OPSET = 15
ML_OPSET = 3
"""Old enough for every runtime in use: nothing newer is needed."""

TOLERANCE = 1e-6
"""How far a score of the artifact may be from the original's."""


class ExportDiffers(Exception):
    """The artifact does not say what the original says."""


def export(model: Model, thresholds: np.ndarray, data: str) -> bytes:
    """The artifact as bytes; the same model gives the same bytes. `data` says what it was trained on and travels in the metadata."""
    nodes = [
        helper.make_node(
            "TreeEnsembleRegressor", ["features"], ["logit"], "trees", domain="ai.onnx.ml",
            n_targets=1, aggregate_function="SUM", post_transform="NONE", **tree_attributes(model),
        ),
        helper.make_node("Cast", ["logit"], ["logit_double"], to=TensorProto.DOUBLE),
        helper.make_node("Sigmoid", ["logit_double"], ["score_double"]),
        helper.make_node("Cast", ["score_double"], ["score_column"], to=TensorProto.FLOAT),
        helper.make_node("Reshape", ["score_column", "flat"], ["score"]),
        helper.make_node("Identity", ["cutoffs"], ["thresholds"]),
    ]
    graph = helper.make_graph(
        nodes,
        "first_user_conversion",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", len(FEATURE_NAMES)])],
        [
            helper.make_tensor_value_info("score", TensorProto.FLOAT, ["N"]),
            helper.make_tensor_value_info("thresholds", TensorProto.FLOAT, [len(thresholds)]),
        ],
        [
            numpy_helper.from_array(np.array([-1], dtype=np.int64), "flat"),
            numpy_helper.from_array(np.asarray(thresholds, dtype=np.float32), "cutoffs"),
        ],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    artifact = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="models/training")
    helper.set_model_props(artifact, {"features": ",".join(FEATURE_NAMES), "training_data": data})
    onnx.checker.check_model(artifact)
    return artifact.SerializeToString(deterministic=True)


def tree_attributes(model: Model) -> dict:
    """All trees as the flat lists of TreeEnsembleRegressor, leaves scaled by the calibration's slope.

    Reads the trees' nodes where scikit-learn keeps them, in private attributes: there is no public way. Should a release move
    them, this or the comparison with the original fails, loudly.
    """
    nodes: dict[str, list] = {key: [] for key in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")}
    leaves: dict[str, list] = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}
    for tree, (predictor,) in enumerate(model.trees._predictors):
        for index, node in enumerate(predictor.nodes):
            is_leaf = bool(node["is_leaf"])
            if node["is_categorical"]:
                raise ExportDiffers("a categorical split is not exported")
            nodes["treeids"].append(tree)
            nodes["nodeids"].append(index)
            nodes["featureids"].append(0 if is_leaf else int(node["feature_idx"]))
            nodes["modes"].append("LEAF" if is_leaf else "BRANCH_LEQ")
            nodes["values"].append(0.0 if is_leaf else float32_at_most(float(node["num_threshold"])))
            nodes["truenodeids"].append(0 if is_leaf else int(node["left"]))
            nodes["falsenodeids"].append(0 if is_leaf else int(node["right"]))
            if is_leaf:
                leaves["treeids"].append(tree)
                leaves["nodeids"].append(index)
                leaves["ids"].append(0)
                leaves["weights"].append(model.slope * float(node["value"]))
    base = model.slope * float(np.ravel(model.trees._baseline_prediction)[0]) + model.offset
    return {
        **{f"nodes_{key}": values for key, values in nodes.items()},
        **{f"target_{key}": values for key, values in leaves.items()},
        "base_values": [base],
    }


def float32_at_most(threshold: float) -> float:
    """The largest float32 that is not above a float64 split. For float32 inputs, `x <= threshold` then holds exactly when it held in
    float64: rounding to nearest would send an input that lies between the two down the other branch."""
    rounded = np.float32(threshold)
    if float(rounded) > threshold:
        rounded = np.nextafter(rounded, np.float32(-math.inf))
    return float(rounded)


def open_session(artifact: bytes) -> onnxruntime.InferenceSession:
    """The artifact in the ONNX runtime, with the service's settings: one thread, sequential."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    return onnxruntime.InferenceSession(artifact, options, providers=["CPUExecutionProvider"])


def run(session: onnxruntime.InferenceSession, features: np.ndarray) -> np.ndarray:
    """Scores, float32 [N], of float32 features [N, 6]."""
    return session.run(["score"], {"features": features})[0]


def verify_export(model: Model, artifact: bytes, features: np.ndarray) -> dict:
    """Holds the artifact against the original, row by row, and against itself: every row alone must give the very bits it gives in
    the batch. Raises ExportDiffers."""
    session = open_session(artifact)
    scores = run(session, features)
    difference = float(np.abs(scores.astype(np.float64) - model.scores(features)).max())
    if not difference <= TOLERANCE:
        raise ExportDiffers(f"scores differ by up to {difference:.3g}, allowed are {TOLERANCE:g}")
    alone = np.concatenate([run(session, features[row : row + 1]) for row in range(len(features))])
    if not np.array_equal(alone, scores):
        raise ExportDiffers("a row scored alone differs from the same row in a batch")
    return {"rows": len(features), "largest_difference": difference, "tolerance": TOLERANCE, "same_alone_and_in_batch": True}
