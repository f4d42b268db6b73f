#!/bin/bash
# Makes build_out/custom_opp_*.run. The presets are read here, because CMake knows them from 3.19 on only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
rm -rf build_out
mapfile -t options < <(python3 - <<'END'
import json

(presets,) = json.load(open("CMakePresets.json", encoding="utf-8"))["configurePresets"]
for name, variable in presets["cacheVariables"].items():
    print(f"-D{name}:{variable['type']}={variable['value']}")
END
)
cmake -S . -B build_out -G "Unix Makefiles" "${options[@]}"
cmake --build build_out --target binary -- -j "$(nproc)"
cmake --build build_out --target package
