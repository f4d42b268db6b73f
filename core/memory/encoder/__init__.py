"""The sentence encoder: where its weights are, a numpy path for MiniLM, and the process it lives in."""

from core.memory.encoder.client import EncoderClient, EncoderUnavailable
from core.memory.encoder.model_files import DEFAULT_MODEL, find_model

__all__ = ["DEFAULT_MODEL", "EncoderClient", "EncoderUnavailable", "find_model"]
