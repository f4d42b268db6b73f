"""The judge as a process: one job from a file, jobs as lines, forks of a warm judge."""
