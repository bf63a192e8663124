"""Exports the trained model as one ONNX artifact and verifies its scores.

The graph: `features` float32 [N, 6] → TreeEnsembleRegressor, which sums the leaves of all trees and the base value,
scaled by the calibration's slope and offset → a logit → sigmoid in float64 → `score` float32 [N]. A constant output
`thresholds` float32 [3] makes a changed cutoff change the digest and with it the model's version.

The sigmoid is computed in float64 and rounded to float32 last. A float32 sigmoid is vectorised, and its last bit may
differ between processors or with a row's position in the batch. Thresholds are computed on one machine and applied on
another, and the bucket of a score must not depend on its batch.
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
"""Old versions that every runtime supports."""

TOLERANCE = 1e-6
"""Largest accepted difference between a score of the artifact and of the original."""


class ExportDiffers(Exception):
    """The artifact's scores differ from the original's."""


def export(model: Model, thresholds: np.ndarray, data: str) -> bytes:
    """The artifact as bytes; the same model gives the same bytes. `data` is the kind of training data (metadata)."""
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

    Reads the trees' nodes from private attributes of scikit-learn, because it has no public access. If a release moves
    them, this function or the comparison with the original fails.
    """
    keys = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    nodes: dict[str, list] = {key: [] for key in keys}
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
    """The largest float32 that is not above a float64 split. For float32 inputs, `x <= threshold` then has the same
    result as in float64. Rounding to nearest would send an input between the two to the other branch."""
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
    """Compares the artifact with the original, row by row, and every row alone with the same row in a batch, bit by
    bit. Raises ExportDiffers."""
    session = open_session(artifact)
    scores = run(session, features)
    difference = float(np.abs(scores.astype(np.float64) - model.scores(features)).max())
    if not difference <= TOLERANCE:
        raise ExportDiffers(f"scores differ by up to {difference:.3g}; the maximum is {TOLERANCE:g}")
    alone = np.concatenate([run(session, features[row : row + 1]) for row in range(len(features))])
    if not np.array_equal(alone, scores):
        raise ExportDiffers("a row scored alone differs from the same row in a batch")
    return {
        "rows": len(features),
        "largest_difference": difference,
        "tolerance": TOLERANCE,
        "same_alone_and_in_batch": True,
    }
