"""`msopgen gen -i interface.json -c ai_core-<SoC> -lan cpp -out folder`: the project's layout."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from core.operators.spec import snake_case

_BUILD = "#!/bin/sh\nexec stand-in-build\n"


def main() -> int:
    given = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=False))
    (interface,) = json.loads(Path(given["-i"]).read_text())
    project, snake = Path(given["-out"]), snake_case(interface["op"])
    for folder in ("op_host", "op_kernel"):
        (project / folder).mkdir(parents=True)
        (project / folder / f"{snake}.cpp").write_text("// generated\n")
        (project / folder / "CMakeLists.txt").write_text("add_kernels_compile()\n")
    names = ("ASCEND_COMPUTE_UNIT", "ASCEND_CANN_PACKAGE_PATH", "vendor_name")
    variables = {name: {"type": "STRING", "value": ""} for name in names}
    presets = {"configurePresets": [{"name": "default", "cacheVariables": variables}]}
    (project / "CMakePresets.json").write_text(json.dumps(presets))
    (project / "build.sh").write_text(_BUILD)
    (project / "interface.json").write_text(json.dumps(interface))
    return 0


if __name__ == "__main__":
    sys.exit(main())
