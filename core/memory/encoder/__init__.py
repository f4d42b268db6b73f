"""The sentence encoder: where its weights are, and the process it lives in."""

from core.memory.encoder.client import EncoderClient, EncoderUnavailable
from core.memory.encoder.model_files import find_model

__all__ = ["EncoderClient", "EncoderUnavailable", "find_model"]
