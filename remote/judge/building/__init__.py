"""From the sources of a candidate to two programs: op_host and the kernel, linked with the CPU twin."""
