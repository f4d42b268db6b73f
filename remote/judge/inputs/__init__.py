"""Inputs and expected outputs of a test case, as tensors and as files."""
