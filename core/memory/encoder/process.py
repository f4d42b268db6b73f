"""The child process that holds the encoder; its arguments are the model and its idle seconds.

Importing torch in a thread of the window would stall it by a quarter of a second and keep half a gigabyte
permanently; a process does neither, and ends by itself when it is idle or its parent is gone.
"""

from __future__ import annotations

import gc
import os
import select
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from core.errors import SageError
from core.memory.encoder.model_files import (
    ModelFiles,
    ModelNotUsable,
    find_model,
)
from core.memory.encoder.wire import Answer, Hello, Request, receive, send

_NICENESS = 10  # the compilers of a running queue come first
_BATCH = 16


class SentenceTransformers:
    """Any model sentence-transformers can load: text to unit vectors.

    Attributes:
        dimension: Length of a vector.
    """

    def __init__(self, location: str) -> None:
        # torch makes a folder for the kernels it compiles: here it compiles none, and
        # this one is there.
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(__file__).parent))
        self._model = import_module("sentence_transformers").SentenceTransformer(
            location, device="cpu"
        )
        self.dimension = int(self._model.encode(["dimension"]).shape[1])

    def encode(self, texts: list[str]) -> tuple[Any, Any]:
        """Return float32 vectors (n, dimension) and the share of unknown tokens of each text (n,)."""
        import numpy as np

        vectors = self._model.encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        tokenizer = self._model.tokenizer
        unknown = [_unknown_share(tokenizer, text) for text in texts]
        return np.asarray(vectors, dtype=np.float32), np.asarray(
            unknown, dtype=np.float32
        )


def _unknown_share(tokenizer: Any, text: str) -> float:
    ids = tokenizer(text, add_special_tokens=False, truncation=True)["input_ids"]
    return (
        sum(token == tokenizer.unk_token_id for token in ids) / len(ids) if ids else 0.0
    )


def load(files: ModelFiles) -> SentenceTransformers:
    """Load a model.

    Raises:
        ModelNotUsable: With what is missing.
    """
    files.check()
    try:
        return SentenceTransformers(files.location)
    except (ImportError, OSError, ValueError) as error:
        raise ModelNotUsable(
            "The text encoder {id} cannot be loaded ({error}).",
            "Choose another encoder in the settings. Until then search uses words only.",
            id=files.id,
            error=error,
        ) from error


def main(model: str, idle_seconds: float) -> None:
    """Say hello, then answer requests until the parent closes the pipe or nothing is asked for a while."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not enter the protocol.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    if hasattr(select, "poll"):
        threading.Thread(
            target=_end_with_parent, args=(requests.fileno(),), daemon=True
        ).start()
    gc.disable()  # what is loaded stays, and searching it for garbage takes a fifth of the start
    try:
        files = find_model(model)
        backend = load(files)
        backend.encode(["warm up"])
    except SageError as error:
        send(answers, Hello(problem=str(error)))
        return
    gc.freeze()
    gc.enable()
    send(answers, Hello(files.id, backend.dimension))
    while True:
        idle = threading.Timer(idle_seconds, os._exit, (0,))
        idle.daemon = True
        idle.start()
        request = receive(requests)
        idle.cancel()
        if not isinstance(request, Request):
            return
        send(answers, _answer(backend, request))


def _end_with_parent(requests: int) -> None:
    """End when the asking process has gone, also while the model is loading, which takes seconds."""
    hang_up = select.poll()
    hang_up.register(requests, 0)  # a hang-up is always told
    hang_up.poll()
    os._exit(0)


def _answer(backend: SentenceTransformers, request: Request) -> Answer:
    try:
        vectors, unknown = backend.encode(request.texts)
    except (ValueError, RuntimeError, MemoryError) as error:
        return Answer(b"", [], f"the encoder failed: {error}")
    return Answer(vectors.astype("<f4").tobytes(), [float(share) for share in unknown])


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
