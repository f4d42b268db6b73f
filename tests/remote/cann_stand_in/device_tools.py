"""Stand-ins for the tools of the device: each runs its command and writes the output that is documented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ILLEGAL = """\
====== ERROR: illegal read of size 224
======    at 0x12c0c0015000 on GM in abs_math
======    in block aiv(0) on device 0
======    code in pc current 0x77c (serialNo:10)
======    #0 ${ASCEND_HOME_PATH}/compiler/tikcpp/tikcfw/impl/dav_c220/kernel_operator_data_copy_impl.h:58:9
======    #1 op_kernel/abs_math.cpp:36:9
"""
_PIPES = """\
block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_vec_ratio,aiv_mte2_ratio,aiv_mte3_ratio
0,vector0,4.0,7400,0.20,0.61,0.40
1,vector0,5.0,9250,0.21,0.60,0.41
"""
_BASICS = """\
Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq
abs_math_0,vector,6.25,2,,0,77,1850,1850
"""


def mssanitizer(arguments: list[str]) -> int:
    """`mssanitizer --tool=... -- command`."""
    done = _run(arguments[arguments.index("--") + 1 :])
    sys.stdout.write("[mssanitizer] finished\n")
    if "errorStr" in done.stdout:
        sys.stdout.write(_ILLEGAL)
    return done.returncode


def msprof(arguments: list[str]) -> int:
    """`msprof op --output=DIR --launch-count=1 command`."""
    folder = Path(
        next(word for word in arguments if word.startswith("--output=")).partition("=")[
            2
        ]
    )
    first = next(
        place
        for place, word in enumerate(arguments)
        if place and not word.startswith("--")
    )
    done = _run(arguments[first:])
    place = folder / "OPPROF_20260310120000_ABCD"
    place.mkdir(parents=True)
    (place / "PipeUtilization.csv").write_text(_PIPES)
    (place / "OpBasicInfo.csv").write_text(_BASICS)
    return done.returncode


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    sys.stdout.write(done.stdout)
    return done


if __name__ == "__main__":
    sys.exit({"mssanitizer": mssanitizer, "msprof": msprof}[sys.argv[1]](sys.argv[2:]))
