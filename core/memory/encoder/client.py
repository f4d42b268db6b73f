"""The application's side of the encoder process: start it in the background, ask it, let it go."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import core
from core.errors import SageError
from core.memory.encoder.model_files import find_model
from core.memory.encoder.wire import Answer, Hello, Request, receive, send
from core.method.parameters import BUNDLED_ENCODER
from core.text import Text, text_of

_IDLE_SECONDS = 900.0


class EncoderUnavailable(SageError):
    """The encoder cannot answer now; retrieval continues by words alone."""


class EncoderState(StrEnum):
    """Life of the encoder process."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


class EncoderClient:
    """One encoder process, started on demand, again after it went idle. Usable from several threads.

    Attributes:
        model_id: Name stored with every vector.
        dimension: Length of a vector, 0 until ready.
        problem: Why it failed.
        process: That of the encoder; None while none runs.
    """

    def __init__(
        self, model: str = BUNDLED_ENCODER, *, idle_seconds: float = _IDLE_SECONDS
    ) -> None:
        self._model = model
        self._idle_seconds = idle_seconds
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self.model_id = ""
        self.dimension = 0
        self.problem: str | Text = ""

    @property
    def state(self) -> EncoderState:
        """Where the process is in its life."""
        if self.problem:
            return EncoderState.FAILED
        if self.process is None:
            return EncoderState.STOPPED
        return EncoderState.READY if self._ready.is_set() else EncoderState.STARTING

    def start(self) -> None:
        """Begin to start the process and return at once; harmless when it runs or has failed."""
        with self._lock:
            if self.process is not None or self.problem:
                return
            try:
                self.model_id = find_model(self._model).id
            except SageError as error:
                self.problem = text_of(error)
                return
            self._ready.clear()
            self.process = self._spawn()
            # A client that is not closed, as after a run, must leave no process.
            weakref.finalize(self, _end, self.process)
            threading.Thread(
                target=self._greet,
                args=(self.process,),
                name="encoder-start",
                daemon=True,
            ).start()

    def wait(self, seconds: float) -> bool:
        """Wait until the process is ready; False when it is not in time or has failed."""
        self.start()
        return (
            self.state is not EncoderState.FAILED
            and self._ready.wait(seconds)
            and not self.problem
        )

    def encode(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return unit vectors (n, dimension) and the share of unknown tokens of each text.

        Raises:
            EncoderUnavailable: While it is not ready, or when the process died; then it is started again.
        """
        with self._lock:
            process = self.process
            if process is None or not self._ready.is_set() or self.problem:
                reason = self.problem or Text(
                    "the text encoder is {state}", state=self.state.value
                )
                raise EncoderUnavailable(reason)
            answer = self._ask(process, list(texts))
        if answer is None:
            self._forget(process)
            self.start()
            raise EncoderUnavailable("the text encoder is starting again")
        if answer.problem:
            raise EncoderUnavailable(answer.problem)
        vectors = np.frombuffer(answer.vectors, dtype="<f4").reshape(
            len(texts), self.dimension
        )
        return vectors, np.array(answer.unknown, dtype=np.float32)

    def close(self) -> None:
        """End the process."""
        process = self.process
        if process is not None:
            self._forget(process)

    def _spawn(self) -> subprocess.Popen[bytes]:
        module = "core.memory.encoder.process"
        command = [sys.executable, "-m", module, self._model, str(self._idle_seconds)]
        paths = [str(Path(core.__file__).parents[1]), *filter(None, sys.path)]
        # A model that is here is used as it is; the hub is not asked for a newer one.
        here = Path(find_model(self._model).location).is_dir()
        environment = os.environ | ({"HF_HUB_OFFLINE": "1"} if here else {})
        environment |= {
            "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
            "HF_HUB_ETAG_TIMEOUT": "5",
            "TOKENIZERS_PARALLELISM": "false",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    def _greet(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        hello = receive(process.stdout)
        with self._lock:
            if process is not self.process:
                return
            if isinstance(hello, Hello) and not hello.problem:
                self.model_id, self.dimension = hello.model_id, hello.dimension
            else:
                problem = hello.problem if isinstance(hello, Hello) else ""
                self.problem = (
                    problem or f"the text encoder ended with code {process.wait()}"
                )
            self._ready.set()

    @staticmethod
    def _ask(process: subprocess.Popen[bytes], texts: list[str]) -> Answer | None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, Request(texts))
            answer = receive(process.stdout)
        except (BrokenPipeError, ValueError, OSError):
            return None
        return answer if isinstance(answer, Answer) else None

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if self.process is process:
                self.process = None
                self._ready.clear()
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue  # a half-written request to a process that is gone
