"""Latencies of baselines by torch_npu: measured once per operator, case, SoC and CANN, with provenance."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

from core.evaluation.records import Latency
from core.operators.spec import TestCase
from remote.judge.cann.device_case import DeviceRow
from remote.judge.cann.environment import CannEnvironment
from remote.judge.job import Operator
from remote.judge.json_records import kept_json, place_json, plain, read

_KEPT = ("inputs", "attributes", "seed", "name")


class ReferenceLatencies:
    """Kept in `folder`, one file each.

    The SoC is part of the key; the device's own name, which is known only later, of what is kept: a latency
    of another kind of device is never given out.
    """

    def __init__(self, folder: Path, environment: CannEnvironment) -> None:
        self._folder = folder
        self._environment = environment

    def known(self, operator: Operator, case: TestCase) -> bool:
        """Whether it was measured on the devices of this host.

        What failed is tried again: another torch_npu may have the call, and a card may have been busy.
        """
        return kept_json(self._path(operator, case)).get("latency") is not None

    def of(self, operator: Operator, case: TestCase, device: str) -> Latency | None:
        """The latency measured on a device of that name; None when there is none."""
        record = kept_json(self._path(operator, case))
        if record.get("latency") is None:
            return None
        latency = read(Latency, record["latency"])
        return latency if latency.device == device else None

    def keep(
        self, operator: Operator, case: TestCase, device: str, measured: DeviceRow
    ) -> None:
        """Remember a measurement, or why there is none."""
        self._folder.mkdir(parents=True, exist_ok=True)
        record = {
            "operator": operator.name,
            "case": case.name,
            "device": device,
            "soc": self._environment.variables.get("SAGE_SOC", ""),
            "cann": self._environment.cann,
            "driver": self._environment.driver,
            "measured_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "latency": plain(measured.reference),
            "problem": measured.problem,
        }
        place_json(self._path(operator, case), record)

    def _path(self, operator: Operator, case: TestCase) -> Path:
        facts = [
            self._environment.cann,
            self._environment.variables.get("SAGE_SOC", ""),
        ]
        values = plain(case)
        described = [
            operator.digest,
            plain(operator.baseline) if operator.baseline else {},
            *facts,
            {name: values[name] for name in _KEPT},
        ]
        digest = hashlib.sha256(
            json.dumps(described, sort_keys=True, default=str).encode()
        ).hexdigest()
        return self._folder / f"{operator.name}-{digest[:24]}.json"
