"""What hostile kernels, replies, files and servers may not do."""
