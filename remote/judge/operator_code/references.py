"""Inputs and reference results of a test case, computed once and kept on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
import uuid
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from core.operators.spec import TestCase
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.case_data import CaseData, Room, TensorFile
from remote.judge.inputs.file_memory import Memory, loaded, mapped
from remote.judge.inputs.reference_module import described
from remote.judge.inputs.reference_results import output_dtypes
from remote.judge.inputs.tensor_memory import tensor_from
from remote.judge.job import Operator
from remote.judge.json_records import kept_json, place_json, plain
from remote.judge.machine.artifacts import place_folder, remove_oldest
from remote.judge.operator_code.process import ForeignCode, ForeignLimits
from remote.judge.processes.children import ChildGroup
from remote.judge.sandbox import Sandbox

FORMAT = 9
_KEEP_BYTES = 256 << 20
_LIMITS = ForeignLimits()


class References:
    """Makes the data of cases, remembering them in memory (up to 256 MiB) and in `folder`.

    Safe to use from several threads; entries are placed atomically, a damaged one is made again. The
    operator's own code runs in a process that cannot reach `folder`, started when something has to be made.

    Args:
        folder: Where cases are kept.
        sandbox: What holds the code of operators back.
        limits: What that code may use.
    """

    def __init__(
        self, folder: Path, sandbox: Sandbox, limits: ForeignLimits = _LIMITS
    ) -> None:
        self._folder = folder.resolve()
        self._sandbox = sandbox
        self._limits = limits
        self._lock = threading.RLock()
        self._codes: dict[str, ForeignCode] = {}
        self._children: ChildGroup | None = None
        self._recent: OrderedDict[str, CaseData] = OrderedDict()

    @contextlib.contextmanager
    def during(self, children: ChildGroup) -> Iterator[None]:
        """One evaluation: the processes it starts end with it, or when its job is cancelled."""
        self._children = children
        try:
            yield
        finally:
            self._children = None
            with self._lock:
                codes, self._codes = self._codes, {}
            for code in codes.values():
                code.close()

    def code(self, operator: Operator) -> ForeignCode:
        """The operator's own code; its process is started when it is asked something."""
        digest = str(operator.digest)
        with self._lock:
            if digest not in self._codes:
                folder = place_files(self._folder / "operators", operator)
                self._codes[digest] = ForeignCode(
                    operator, folder, self._sandbox, self._limits, self._children
                )
            return self._codes[digest]

    def output_dtypes(self, operator: Operator, case: TestCase) -> tuple[str, ...]:
        """Dtype of every output of a case whose inputs are known.

        Raises:
            EnvironmentFault: The operator's code fails.
        """
        input_dtypes = {name: spec.dtype for name, spec in case.inputs.items()}
        attributes = case.attributes
        texts = (operator.reference_source, *operator.files.values())
        if not any("OUTPUT_DTYPES" in text for text in texts):
            outputs = output_dtypes(operator, input_dtypes, None, attributes)
        elif (self._case_folder(operator, case) / "case.json").exists():
            outputs = ()
        else:
            outputs = self.code(operator).output_dtypes(input_dtypes, attributes)
        if outputs and all(outputs):
            return outputs
        dtypes = {file.name: file.dtype for file in self.case(operator, case).outputs}
        return tuple(dtypes[tensor.name] for tensor in operator.outputs)

    def collect(self, most_bytes: int) -> int:
        """Remove the cases unused for longest until the rest fits `most_bytes`; returns the bytes freed."""
        records = []
        for record in (self._folder / "cases").glob("??/*/case.json"):
            try:
                size = sum(path.stat().st_size for path in record.parent.iterdir())
                records.append((record.stat().st_mtime, size, record.parent))
            except OSError:
                continue
        return remove_oldest(records, most_bytes)

    def case(self, operator: Operator, case: TestCase) -> CaseData:
        """Inputs and expected outputs of `case`, from memory, disk or made now.

        Raises:
            EnvironmentFault: The reference fails or returns something else than its interface.
        """
        key = _case_key(operator, case)
        with self._lock:
            recent = self._recent.get(key)
            if recent is not None and all(
                f.path.exists() for files in recent.inputs.values() for f in files
            ):
                self._recent.move_to_end(key)
                return recent
        folder = self._case_folder(operator, case)
        data = _read_case(folder)
        if data is None:
            shutil.rmtree(folder, ignore_errors=True)
            self._make(folder, operator, case)
            data = _read_case(folder)
            if data is None:
                raise EnvironmentFault(
                    f"The reference of {operator.name}/{case.name} cannot be kept in {folder}."
                )
        self._remember(key, data)
        return data

    def noted(
        self,
        operator: Operator,
        case: TestCase,
        other: TestCase,
        work_out: Callable[[], bool],
    ) -> bool:
        """What `work_out` says of two cases; it is asked once, and its answer is kept beside `case`."""
        folder = self._case_folder(operator, case)
        path = folder / f"noted-{_case_key(operator, other)}.json"
        answer = kept_json(path).get("answer")
        if answer is None:
            answer = work_out()
            if folder.exists():
                place_json(path, {"answer": answer})
        return bool(answer)

    def _case_folder(self, operator: Operator, case: TestCase) -> Path:
        key = _case_key(operator, case)
        return self._folder / "cases" / key[:2] / key

    def described(self, operator: Operator, case: TestCase) -> TestCase:
        """A case with known inputs and attributes: those of an imported task exist only once its code ran."""
        if not case.row:
            return case
        data = self.case(operator, case)
        return described(case, data.inputs, data.attributes)

    def _remember(self, key: str, data: CaseData) -> None:
        with self._lock:
            self._recent[key] = data
            size = sum(
                file.bytes
                for earlier in self._recent.values()
                for file in earlier.outputs
            )
            while size > _KEEP_BYTES and len(self._recent) > 1:
                _, dropped = self._recent.popitem(last=False)
                size -= sum(file.bytes for file in dropped.outputs)

    def _make(self, folder: Path, operator: Operator, case: TestCase) -> None:
        description = self.code(operator).case(case)
        partial = folder.parent / f".{folder.name}.{uuid.uuid4().hex}"
        partial.mkdir(parents=True)
        try:
            rows = {
                "format": FORMAT,
                "attributes": description.attributes,
                "inputs": {
                    name: [
                        _write(partial, f"in-{name}-{at}.bin", tensor_file)
                        for at, tensor_file in enumerate(tensors)
                    ]
                    for name, tensors in description.inputs.items()
                },
                "outputs": [
                    {
                        **_write(partial, f"out-{at}.bin", given),
                        "name": given["name"],
                        "room": given["room"],
                    }
                    for at, given in enumerate(description.outputs)
                ],
                "returned": [
                    _write(partial, f"own-{at}.bin", tensor) if tensor else None
                    for at, tensor in enumerate(description.returned)
                ],
            }
            (partial / "case.json").write_text(json.dumps(rows))
            place_folder(partial, folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def place_files(folder: Path, operator: Operator) -> Path:
    """Write an operator's Python into a folder of its own below `folder`; returns that.

    Raises:
        EnvironmentFault: One of its files would lie outside.
    """
    own = (folder / str(operator.digest)[:32]).resolve()
    for name, text in {
        "reference.py": operator.reference_source,
        **operator.files,
    }.items():
        if not (own / name).resolve().is_relative_to(own):
            raise EnvironmentFault(
                f"The file {name} of {operator.name} lies outside its folder."
            )
        _place_text(own / name, text)
    return own


def _case_key(operator: Operator, case: TestCase) -> str:
    parts = (
        ("name", "row", "seed")
        if case.row
        else ("name", "inputs", "attributes", "seed")
    )
    described = plain(case)
    content = {name: described[name] for name in parts}
    text = json.dumps(
        [FORMAT, torch.__version__, operator.digest, operator.name, content],
        sort_keys=True,
        default=str,
    )
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def _write(folder: Path, name: str, tensor: Mapping[str, Any]) -> dict[str, Any]:
    data = tensor["data"]
    if data is not None:
        (folder / name).write_bytes(data)
    return {
        "file": "" if data is None else name,
        "dtype": tensor["dtype"],
        "shape": tensor["shape"],
        "strides": tensor["strides"],
        "bytes": len(data or b""),
        "crc": zlib.crc32(data or b""),
    }


def _read_case(folder: Path) -> CaseData | None:
    """The data kept in `folder`; None when there is none or it is damaged."""
    try:
        rows = json.loads((folder / "case.json").read_text())
        if rows["format"] != FORMAT:
            return None
        inputs = {
            name: tuple(_file(folder, name, row) for row in file_rows)
            for name, file_rows in rows["inputs"].items()
        }
        outputs = tuple(_file(folder, row["name"], row) for row in rows["outputs"])
        expected: list[torch.Tensor | None] = []
        rows_in = [row for tensors in rows["inputs"].values() for row in tensors]
        files = (file for tensors in inputs.values() for file in tensors)
        for row, file in zip(
            (*rows_in, *rows["outputs"]), (*files, *outputs), strict=True
        ):
            # What is kept must not change with the file.
            read = loaded if file in outputs else mapped
            data: Memory = read(file.path) if row["file"] else bytearray()
            if len(data) != row["bytes"] or zlib.crc32(data) != row["crc"]:
                return None
            if not row["file"]:
                expected.append(None)
            elif file in outputs:
                expected.append(tensor_from(data, file.dtype, file.shape))
        returned = list(expected)
        for place, row in enumerate(rows["returned"]):
            if row is not None:
                data = loaded(folder / row["file"])
                if len(data) != row["bytes"] or zlib.crc32(data) != row["crc"]:
                    return None
                returned[place] = tensor_from(data, row["dtype"], tuple(row["shape"]))
        os.utime(folder / "case.json")  # the time of last use, for collect()
    except (FileNotFoundError, KeyError, ValueError, TypeError):
        return None
    return CaseData(
        inputs, outputs, tuple(expected), rows["attributes"], tuple(returned)
    )


def _file(folder: Path, name: str, row: Mapping[str, Any]) -> TensorFile:
    room = row.get("room")
    return TensorFile(
        name=name,
        dtype=row["dtype"],
        shape=tuple(row["shape"]),
        strides=tuple(row["strides"]),
        path=folder / row["file"],
        bytes=row["bytes"],
        room=Room(tuple(room["shape"]), bool(room["zero"])) if room else None,
    )


def _place_text(path: Path, text: str) -> None:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.read_text() == text:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    partial.write_text(text)
    partial.replace(path)
