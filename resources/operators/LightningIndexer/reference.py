"""PyTorch definition of LightningIndexer."""

import torch

COARSE = True  # what decides is which keys are chosen, and their scores to a hundredth
SHARE = 0.01


def make_inputs(inputs, case, generator):
    """Blocks of their own for every batch entry, in random order."""
    if "block_table" not in inputs:
        return inputs
    shape = inputs["block_table"].shape
    blocks = torch.randperm(inputs["key"].shape[0], generator=generator)[: shape.numel()]
    return inputs | {"block_table": blocks.reshape(shape).to(torch.int32)}


def rows(query, key, weights, lengths_query, lengths_key, block_table, layout_key, sparse_mode):
    """Per valid query: batch entry, position and the scores of the keys it sees."""
    for b in range(query.shape[0]):
        keys = key[b, :, 0] if layout_key == "BSND" else key[block_table[b].long(), :, 0].flatten(0, 1)
        valid = query.shape[1] if lengths_query is None else int(lengths_query[b])
        length = keys.shape[0] if lengths_key is None else int(lengths_key[b])
        for i in range(valid):
            visible = length if sparse_mode == 0 else max(length - valid + i + 1, 0)
            yield b, i, weights[b, i] @ torch.relu(query[b, i] @ keys[:visible].T)


def reference(
    query, key, weights, actual_seq_lengths_query=None, actual_seq_lengths_key=None, block_table=None,
    layout_query="BSND", layout_key="BSND", sparse_count=2048, sparse_mode=3,
):
    """Chosen positions by descending score, and their scores."""
    shape = (*query.shape[:2], 1, sparse_count)
    indices = query.new_full(shape, -1, dtype=torch.int32)
    values = query.new_zeros(shape)
    lengths = (actual_seq_lengths_query, actual_seq_lengths_key)
    for b, i, scores in rows(query, key, weights, *lengths, block_table, layout_key, sparse_mode):
        count = min(sparse_count, scores.numel())
        values[b, i, 0, :count], chosen = scores.topk(count)
        indices[b, i, 0, :count] = chosen.to(torch.int32)
    return indices, values


def check(expected, actual, inputs, attributes):
    """Right number of distinct, good enough positions per row, each with its own score."""
    indices, values = actual[0].long(), actual[1].double()
    given = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in inputs.items()}
    lengths = (given.get("actual_seq_lengths_query"), given.get("actual_seq_lengths_key"))
    unused = torch.ones(indices.shape, dtype=torch.bool)
    layout, mode = attributes["layout_key"], attributes["sparse_mode"]
    tensors = (given["query"], given["key"], given["weights"])
    seen = rows(*tensors, *lengths, given.get("block_table"), layout, mode)
    for b, i, scores in seen:
        count = min(attributes["sparse_count"], scores.numel())
        chosen = indices[b, i, 0, :count]
        unused[b, i, 0, :count] = False
        if bool(((chosen < 0) | (chosen >= scores.numel())).any()) or chosen.unique().numel() != count:
            return f"sparse_indices: row {b}, {i} does not begin with {count} distinct visible positions"
        if count == 0:
            continue
        slack = SHARE * scores.abs().max()
        if bool((scores[chosen] < scores.topk(count).values[-1] - slack).any()):
            return f"sparse_indices: row {b}, {i} holds a position whose score is too low"
        if not bool(((values[b, i, 0, :count] - scores[chosen]).abs() <= slack).all()):
            return f"sparse_values: row {b}, {i} holds a value that is not the score of its position"
    if bool((indices[unused] != -1).any()) or bool((values[unused] != 0).any()):
        return "unused places must hold index -1 and value 0"
    return ""
