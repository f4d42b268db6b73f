"""What the window shows: queue, review, memory, trajectory, results, hosts, dialogs."""
