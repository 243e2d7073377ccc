"""ONNX graphs that label tokens by a table: each token id has its logits, and sixteen tokens are the most they take."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LONGEST = 16


def graph(path: Path, table: Any, inputs: tuple[str, ...] = ("input_ids", "attention_mask"), fixed: Any = None) -> None:
    """Logits of a token are its row of `table`, and O of every token gains by how many tokens the mask shows."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    shape = fixed or ["batch", "sequence"]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["by_word"])]
    last = "by_word"
    if "attention_mask" in inputs:
        nodes += [
            helper.make_node("CumSum", ["attention_mask", "axis"], ["behind"]),
            helper.make_node("Sub", ["behind", "one"], ["places"]),
            helper.make_node("Gather", ["positions", "places"], ["by_place"]),  # fails behind the last position
            helper.make_node("Add", [last, "by_place"], ["placed"]),
            helper.make_node("Cast", ["attention_mask"], ["shown"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["shown", "axes"], ["seen"], keepdims=1),
            helper.make_node("Mul", ["seen", "weight"], ["weighed"]),
            helper.make_node("Unsqueeze", ["weighed", "one_axis"], ["context"]),
            helper.make_node("Add", ["placed", "context"], ["contextual"]),
        ]
        last = "contextual"
    if "token_type_ids" in inputs:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["types", "behind_axes"], ["typed"]),
            helper.make_node("Add", [last, "typed"], ["with_types"]),
        ]
        last = "with_types"
    nodes.append(helper.make_node("Identity", [last], ["logits"]))
    weight = np.zeros((1, table.shape[1]), np.float32)
    weight[0, 0] = 0.01
    constants = {
        "table": np.asarray(table, np.float32),
        "positions": np.zeros((LONGEST, table.shape[1]), np.float32),
        "axis": np.array(1),
        "one": np.array(1),
        "axes": np.array([1]),
        "one_axis": np.array([1]),
        "behind_axes": np.array([2]),
        "weight": weight,
    }
    used = {name for node in nodes for name in node.input}
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "tagger",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(value, name) for name, value in constants.items() if name in used],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def table(tags: Mapping[str, int], vocabulary: Sequence[str], n_labels: int) -> Any:
    import numpy as np

    logits = np.zeros((len(vocabulary), n_labels), np.float32)
    for index, word in enumerate(vocabulary):
        logits[index, tags.get(word, 0)] = 4
    return logits
