"""The machines on which kernels are compiled and run."""
