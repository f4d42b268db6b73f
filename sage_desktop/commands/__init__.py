"""The subcommands of `sage`, one module each. No Qt here: everything works without a display."""
