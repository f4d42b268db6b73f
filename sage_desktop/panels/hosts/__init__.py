"""The machines kernels are compiled and run on: reaching, trusting, examining them, their cards and jobs."""
