"""The folder of the user's in which each host keeps its calibration."""

from __future__ import annotations

import math
from pathlib import Path
from urllib.parse import quote

from core.errors import InvalidInput
from core.outside import json_record, read_file
from core.private import private_folder, write_private
from core.records_json import to_json
from remote.calibration.record import FORMAT, Calibration

_REMEDY = "Run `sage host calibrate` again, or remove the file."


class CalibrationFolder:
    """Calibrations by host, each a JSON file with a picture beside it.

    Args:
        folder: `calibrations` in the user's data folder.
        names: Constants the twin has.
    """

    def __init__(self, folder: Path, names: frozenset[str]) -> None:
        self._folder = folder
        self._names = names

    def path(self, host: str) -> Path:
        """The file of a host; its picture has the suffix `.svg`."""
        return self._folder / f"{quote(host, safe='')}.json"

    def keep(self, calibration: Calibration) -> Path:
        """Keep a calibration and its picture in place of the host's earlier ones; returns the file."""
        from remote.calibration.picture import draw  # matplotlib takes its time

        private_folder(self._folder, ours=True)
        path = self.path(calibration.host)
        write_private(path, to_json(calibration).encode())
        draw(calibration, path.with_suffix(".svg"))
        return path

    def of(self, host: str) -> Calibration | None:
        """The calibration of a host; None when there is none.

        Raises:
            InvalidInput: Its file was damaged; names file, field and value.
        """
        path = self.path(host)
        if not path.exists():
            return None
        try:
            calibration = json_record(read_file(path), Calibration, str(path))
            self._check(calibration, str(path))
        except InvalidInput as error:
            raise InvalidInput(
                error.source, error.field, error.problem, _REMEDY
            ) from error
        return calibration

    def _check(self, calibration: Calibration, source: str) -> None:
        if calibration.format != FORMAT:
            raise InvalidInput(
                source,
                "format",
                "{number} is not supported",
                number=calibration.format,
            )
        for place, constant in enumerate(calibration.constants):
            if constant.name not in self._names:
                raise InvalidInput(
                    source,
                    f"constants[{place}].name",
                    "{name!r} is no constant of the twin",
                    name=constant.name,
                )
            value = constant.calibrated
            if not (math.isfinite(value) and value > 0):
                raise InvalidInput(
                    source,
                    f"constants[{place}].calibrated",
                    "{value!r} is not above 0",
                    value=value,
                )
