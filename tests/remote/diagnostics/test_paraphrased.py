"""Messages of the kinds that CANN 8.0 to 8.5 print, in words and paths of our own."""

from __future__ import annotations

import pytest

from remote.diagnostics.diagnosis import diagnose

# log, stages a careful reader would accept, what the cause line must show, whether the machine is at fault
PARAPHRASED = [
    (
        (
            "/data/build/sage_1/project/op_host/gelu_v3.cpp:41:18: error: ‘class "
            "optiling::GeluV3TilingData’ has no member named ‘set_tileNum’; did you mean ‘set_tileLen’?\n"
            "gmake[2]: *** [op_host/CMakeFiles/cust_optiling.dir/build.make:76: "
            "op_host/CMakeFiles/cust_optiling.dir/gelu_v3.cpp.o] Error 1\n"
            "gmake[1]: *** [CMakeFiles/Makefile2:421: op_host/CMakeFiles/cust_optiling.dir/all] Error 2\n"
            "CPack Error: Error when generating package: opp"
        ),
        "host", "set_tileNum", False,
    ),
    (
        (
            "/opt/w/op_host/rope.cpp:9:10: fatal error: rope_tiling.h: No such file or directory\n"
            '    9 | #include "rope_tiling.h"\n'
            "compilation terminated.\n"
            "opbuild run failed!"
        ),
        "host", "rope_tiling.h", False,
    ),
    (
        (
            "In file included from /home/u/p/op_kernel/swish.cpp:2:\n"
            "/home/u/p/op_kernel/swish.cpp:88:31: error: cast between floating and unsigned "
            "integer variable is not allowed in aicore function\n"
            "        float s = (float)n;\n"
            "1 error generated.\n"
            "[ERROR] TBE(123,python3):2025-01-01-00:00:00.000.000 [op_compilation.py:999][record] "
            "Op[Swish] of index[0] compile failed"
        ),
        "kernel", "cast between floating and unsigned", False,
    ),
    (
        (
            "/tmp/k/op_kernel/foo.cpp:12:9: error: no matching function for call to 'DataCopyPad'\n"
            "/usr/local/Ascend/cann-8.5.0/include/basic_api/kernel_operator_data_copy_intf.h:77:3:"
            " note: candidate function not viable"
        ),
        "kernel", "DataCopyPad", False,
    ),
    (
        (
            "ld.lld: error: undefined symbol: tanhf\n"
            ">>> referenced by /b/kernel_meta/foo.o:(foo)\n"
            "Opc tool compile failed."
        ),
        "link", "tanhf", False,
    ),
    (
        "/b/op_kernel/a.cpp:5:1: error: unknown type name 'LocalTenser'; did you mean 'LocalTensor'?",
        "kernel", "LocalTenser", False,
    ),
    (
        (
            "CMake Error at CMakeLists.txt:3 (find_package):\n"
            '  By not providing "FindASC.cmake" in CMAKE_MODULE_PATH this project has asked\n'
            '  CMake to find a package configuration file provided by "ASC", but CMake did\n'
            "  not find one.\n"
            "\n"
            '  Could not find a package configuration file provided by "ASC" with any of\n'
            "  the following names:\n"
            "\n"
            "    ASCConfig.cmake\n"
            "    asc-config.cmake\n"
            ""
        ),
        "environment", "ASC", True,
    ),
    (
        (
            "RuntimeError: Initialize:torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp:217 NPU "
            "function error: aclrtSetDevice, error code is 507033"
        ),
        "environment", "507033", True,
    ),
    (
        (
            "EZ9999: Inner Error!\n"
            "EZ9999: [PID: 9] 2025-05-05-10:10:10.100.100 The error from device(chipId:1, "
            "dieId:0), serial number is 7, there is an exception of aivec error, core id is 11, "
            "error code = 0x10, dump info: pc start: 0x124080000000, current: 0x124080000abc, vec "
            "error info: 0x1.\n"
            " The extend info: errcode:(0x10, 0, 0) errorStr: The UB address accessed by the VEC "
            "instruction is not aligned. fixp_error0 info: 0x0.\n"
            "TraceBack (most recent call last):\n"
            " Kernel task happen error, retCode=0x31, [vector core "
            "exception].[FUNC:PreCheckTaskErr][FILE:task_info.cc][LINE:1776]\n"
            " synchronized stream failed, runtime result = 507035"
        ),
        "run", "not aligned", False,
    ),
    (
        "aclnnSwishV2 or aclnnSwishV2GetWorkspaceSize not in libopapi.so, or libopapi.so not found.",
        "load", "not in libopapi", False,
    ),
    (
        "fatal error: error in backend: Stack frame size is larger than the limit of 32768 bytes",
        "kernel", "tack", False,
    ),
    (
        (
            "c++: fatal error: Killed signal terminated program cc1plus\n"
            "compilation terminated.\n"
            "gmake: *** [all] Error 2"
        ),
        "environment", "Killed", True,
    ),
    (
        "virtual memory exhausted: Cannot allocate memory",
        "environment", "memory", True,
    ),
    (
        (
            "tar: /tmp/selfgz123: Cannot write: No space left on device\n"
            "ERROR: Decompression failed"
        ),
        "environment", "No space left", True,
    ),
    (
        "/w/op_kernel/x.cpp:77:14: error: use of undeclared identifier 'PIPE_MTE4'",
        "kernel", "PIPE_MTE4", False,
    ),
    (
        (
            "[ERROR] 2026-01-05-01:02:03 (PID:5, Device:0, RankID:-1) ERR00100 PTA call acl api failed\n"
            "E89999: Inner Error!\n"
            "E89999: [PID: 5] op[SwishV2], tiling func return "
            "failed.[FUNC:TilingForX][FILE:swish.cpp][LINE:33]"
        ),
        "run", "tiling", False,
    ),
    (
        (
            "op_host/y.cpp: In function ‘ge::graphStatus ge::InferShape(gert::InferShapeContext*)’:\n"
            "op_host/y.cpp:33:45: error: cannot convert ‘const gert::Shape*’ to ‘const "
            "gert::StorageShape*’ in initialization"
        ),
        "host", "StorageShape", False,
    ),
    (
        (
            "error: 'Softmax' is not a member of 'AscendC'\n"
            ""
        ),
        "kernel|host", "Softmax", False,
    ),
    (
        (
            "/w/op_kernel/z.cpp:9:3: error: 'vector' function call to non-aicore function "
            "'memcpy' is not allowed"
        ),
        "kernel", "memcpy", False,
    ),
    (
        (
            "AICPU/AICORE task timeout. error code is 507014\n"
            "[ERROR] The aicore execution times out."
        ),
        "run", "507014", False,
    ),
    (
        (
            "python3: can't open file '/usr/local/Ascend/cann/python/site-packages/bin/opc': "
            "[Errno 2] No such file or directory"
        ),
        "environment", "opc", True,
    ),
    (
        "/srv/j/9/op_host/top_k.cpp:61:9: error: 'GetInputTensor' was not declared in this scope",
        "host", "GetInputTensor", False,
    ),
    (
        "/srv/j/9/op_host/top_k.cpp:12:20: error: expected ';' before 'return'",
        "host", "expected ';'", False,
    ),
    (
        (
            "/srv/j/op_kernel/top_k.cpp:20:5: error: no member named 'Sigmoidd' in namespace "
            "'AscendC'; did you mean 'Sigmoid'?"
        ),
        "kernel", "Sigmoidd", False,
    ),
    (
        "/srv/j/op_kernel/top_k.cpp:20:5: error: use of undeclared identifier 'GetBlockNumm'",
        "kernel", "GetBlockNumm", False,
    ),
    (
        (
            "/srv/j/op_kernel/top_k.cpp:20:5: error: double precision operation is not allowed in "
            "aicore function"
        ),
        "kernel", "double precision", False,
    ),
    (
        (
            "kernel entry `top_k_v4' not implement in `top_k_v4.cpp', please check whether the "
            "function name is correct in the kernel file."
        ),
        "kernel", "top_k_v4", False,
    ),
    (
        (
            "/x/op_kernel/q.cpp:5:9: error: assigning to '__ubuf__ half *' from incompatible type "
            "'__gm__ half *'"
        ),
        "kernel", "incompatible", False,
    ),
    (
        (
            "/x/op_kernel/q.cpp:31:9: error: static_assert failed due to requirement "
            "'IsSameType<float, half>::value' \"Failed to check dtype in Exp\""
        ),
        "kernel", "static_assert", False,
    ),
    (
        (
            "[ERROR] ASCENDCKERNEL(88,python):2026-03-03 errorStr: The write address of the MTE "
            "instruction is out of range.\n"
            "rtStreamSynchronize failed, error code is 507015"
        ),
        "run", "MTE instruction is out of range", False,
    ),
    (
        "AclNN_Runtime_Error(EZ9903): rtKernelLaunchWithHandleV2 failed: 107000",
        "run", "rtKernelLaunch", False,
    ),
    (
        (
            "RuntimeError: call aclnnBarV2 failed, detail:EZ1001: 2026 tensor x not implemented "
            "for DT_INT8, should be in dtype support list [DT_FLOAT]"
        ),
        "run", "DT_INT8", False,
    ),
    (
        (
            "drv aicpu heartbeat lost, device id 3\n"
            "error code is 507010"
        ),
        "environment", "heartbeat", True,
    ),
    (
        "[ERROR] HCCL ... The link is down. ECC error count exceeds",
        "environment", "ECC", True,
    ),
    (
        "cp: cannot create regular file '/usr/local/Ascend/opp/vendors/x': Permission denied",
        "environment", "Permission denied", True,
    ),
    (
        (
            "Traceback (most recent call last):\n"
            '  File "run.py", line 3, in <module>\n'
            "    import torch_npu\n"
            "ModuleNotFoundError: No module named 'torch_npu'"
        ),
        "environment", "torch_npu", True,
    ),
    (
        (
            "[FAIL] Output mismatch, max diff: 1.25, location: (0, 3) \n"
            " Diff count: 2"
        ),
        "check", "mismatch", False,
    ),
    (
        "shape mismatch: expected torch.Size([4, 8]) but got torch.Size([8, 4])",
        "check", "shape", False,
    ),
    (
        (
            "/x/op_kernel/m.cpp:50: undefined reference to `AscendC::Foo()'\n"
            "collect2: error: ld returned 1 exit status"
        ),
        "link|kernel", "undefined reference", False,
    ),
    (
        (
            "CMake Error at cmake/func.cmake:33 (message):\n"
            "  opbuild run failed!\n"
            "\n"
            "build ops lib error: op_host/k.cpp:7:5: error: 'foo' was not declared in this scope"
        ),
        "host", "'foo' was not declared", False,
    ),
    (
        "The memory size of UB is not enough: required 262144, available 196608",
        "kernel|run", "UB", False,
    ),
    (
        "error: ub overflow, requires 3145728 bits while 1572864 bits available!",
        "kernel", "overflow", False,
    ),
    (
        "g++: internal compiler error: Killed (program cc1plus)",
        "environment", "Killed", True,
    ),
    # What launchers, older versions and other chips print around the same messages.
    (
        (
            "(Worker_TP3 pid=77) ERROR 02-03 04:05:06 [loop.py:12] RuntimeError: "
            "call aclnnSilu3 failed, error "
            "code is 561002\n"
            "(Worker_TP3 pid=77) ERROR 02-03 04:05:06 [loop.py:12] EZ9999: [PID: "
            "77] 2025-02-03-04:05:06.000.001 "
            "width 7 is not a multiple of 16[FUNC:CheckWidth][FILE:silu3_tiling.cpp][LINE:41]\n"
            "(Worker_TP3 pid=77) ERROR 02-03 04:05:06 [loop.py:12]        Silu3 do tiling failed, ret is -1."
        ),
        "run", "width 7 is not a multiple of 16", False,
    ),
    (
        (
            "there is an fftsplus aivec error exception, core id is 3, error code "
            "= 0x10, dump info: pc start: "
            "0x1200, current: 0x1240, vec error info: 0x1\n"
            "The extend info: errcode:(0x10, 0, 0) errorStr: Illegal instruction "
            "of some kind. fixp_error0 info: 0"
        ),
        "run", "Illegal instruction of some kind (aivec, core 3", False,
    ),
    (
        (
            "The error from device(0), serial number is 1, there is an aicore "
            "error, core id is 2, error code = "
            "0x20, dump info: pc start: 0x10, current: 0x20, errorStr: Bad address "
            "of some kind.[FUNC:Print][FILE:p.cc]"
        ),
        "run", "Bad address of some kind (aicore, core 2", False,
    ),
    (
        "[ERROR]  set device 5 failed, errorCode = 107001",
        "environment", "107001", True,
    ),
    (
        (
            "[ERROR] aclrtSynchronizeStream(s) failed: 507034 (/w/main.cpp:8)\n"
            "there is an exception of aivec error, core id is 4, error code = 0, "
            "dump info: pc start: 0x0, current: 0x8\n"
            "The extend info: errcode:(0, 0, 0) errorStr: timeout or trap error. fixp_error0 info: 0x0"
        ),
        "run", "timeout or trap error (aivec, core 4", False,
    ),
    (
        (
            "EZ9999 Kernel task happen error, retCode=0x2a, [aicpu "
            "exception].[FUNC:Check][FILE:task.cc][LINE:1]\n"
            "RuntimeError: NPU error,NPU error code is:100000"
        ),
        "run", "aicpu exception", False,
    ),
    (
        "RuntimeError: call aclnnGlu2 failed, detail:EZ1001: dim 3 is out of range for x with 2 dims.",
        "run", "dim 3 is out of range", False,
    ),
    (
        "call aclnnGlu2 failed: read binary_info_config.json failed, is the opp_kernel package installed?",
        "environment", "binary_info_config.json", True,
    ),
    (
        (
            "CMake Error at CMakeLists.txt:2 (project):\n"
            "  No CMAKE_CXX_COMPILER could be found.\n"
            "\n"
            "-- Configuring incomplete, errors occurred!"
        ),
        "environment", "No CMAKE_CXX_COMPILER", True,
    ),
    (
        (
            "WARNING:root:ops were not loaded: /w/lib/_ops.so: undefined symbol: "
            "_ZN4none4suchEv. Going on without."
        ),
        "load", "undefined symbol", False,
    ),
    (
        ("/w/csrc/kernels/rotate.cpp:4:10: fatal error: 'inner/none_such.h' "
        "file not found\n1 error generated."),
        "kernel", "none_such.h", False,
    ),
    (
        ("/tmp/t1.hpp:178:5: error: static assertion failed due to requirement "
        "'Cols % 8 == 0'\n1 error generated."),
        "kernel", "static assertion", False,
    ),
    (
        (
            "ld.lld: error: undefined reference due to --some-option: no_such_kernel(float*)\n"
            "bisheng: error: linker command failed with exit code 1 (use -v to see invocation)"
        ),
        "link", "no_such_kernel", False,
    ),
    (
        "[ERROR] [Bisheng] Kernel binary register failure! ret 107000",
        "load", "Kernel binary register failure", False,
    ),
    (
        (
            "RuntimeError: NPU function error: call aclnnGlu2 failed, error code is 161002\n"
            "[PID: 7] 2026-01-02-03:04:05.678.901 AclNN_Parameter_Error(EZ1001): Tensor gate is not given."
        ),
        "run", "Tensor gate is not given", False,
    ),
    (
        (
            "svc-1  | [rank0]: RuntimeError: OPS function error: HcclSend, error code is 6\n"
            "svc-1  | [rank0]: EI0006: [PID: 7] 2026-01-02-03:04:05.678.901 Getting socket times out."
        ),
        "run", "Getting socket times out", False,
    ),
    (
        (
            "E89999: [PID: 7] 2026-01-02-03:04:05.678.901 op[Glu2], halves differ[FUNC:Halve][FILE:glu2.cc]\n"
            "    op[Glu2], arguments are not set.[FUNC:Tiling4Glu2][FILE:glu2.cc]"
        ),
        "run", "halves differ", False,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("log", "stages", "shown", "environment"), PARAPHRASED)
def test_a_message_is_read_by_its_family_whatever_its_names(
    log: str, stages: str, shown: str, environment: bool
) -> None:
    cause = diagnose(log).cause
    assert str(cause.stage) in stages.split("|"), cause
    assert shown.lower() in cause.line.lower()
    assert cause.environment is environment
    assert cause.hint
