"""The page Workload: operators of a profile by what a kernel could save."""
