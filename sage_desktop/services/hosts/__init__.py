"""Where kernels are judged: choice of host and toolchain, questions of servers, processors."""
