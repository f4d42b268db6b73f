"""What several pages show of rounds: progress, lessons in the code, diagnostics, look-up."""
