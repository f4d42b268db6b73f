"""What window and command line share, without Qt: wiring, host and model choice, settings."""
