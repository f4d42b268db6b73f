"""Asynchronous work in a thread of its own, which can be called off. Knows no window."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class Ended(Generic[T]):
    """How it ended: one of `result` and `error`, neither when it was called off."""

    result: T | None = None
    error: BaseException | None = None


class Stoppable(Generic[T]):
    """Begins at once.

    Args:
        work: Makes what is awaited, in the thread of this work.
        ended: Gets how it ended, likewise.
        name: Of the thread.
    """

    def __init__(
        self,
        work: Callable[[], Coroutine[Any, Any, T]],
        on_end: Callable[[Ended[T]], object],
        name: str,
    ) -> None:
        self._work = work
        self._on_end = on_end
        self._lock = threading.Lock()
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Call it off: the processes of its job end, wherever they run."""
        with self._lock:
            self._stopped = True
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def wait(self, until: float | None = None) -> bool:
        """Wait for the end of work that was called off; whether it came before `until` (`time.monotonic`)."""
        self._thread.join(
            STOP_SECONDS if until is None else max(0.0, until - time.monotonic())
        )
        return not self._thread.is_alive()

    def _run(self) -> None:
        import asyncio  # windows paint first

        try:
            end = asyncio.run(self._guarded())
        except BaseException as error:  # noqa: BLE001 - told in the window's thread
            end = Ended[T](error=error)
        self._on_end(end)

    async def _guarded(self) -> Ended[T]:
        import asyncio

        task = asyncio.ensure_future(self._work())
        with self._lock:
            self._loop, self._task = asyncio.get_running_loop(), task
            # It may have been called off before there was a loop to tell.
            if self._stopped:
                task.cancel()
        try:
            return Ended(await task)
        except asyncio.CancelledError:
            return Ended()
        finally:
            with self._lock:
                self._loop = self._task = None
