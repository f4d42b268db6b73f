"""What every pipe of a kernel did and when, drawn: lanes with slices, arrows, and memories below."""
