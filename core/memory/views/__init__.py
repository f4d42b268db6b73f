"""What the window and the command line read of a memory: items, hot memory, events; nothing is written."""
