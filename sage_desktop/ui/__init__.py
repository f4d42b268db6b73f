"""What panels are made of: widgets, the diff view, theme, icons, translation."""
