"""Where an output of a case is wrong: a map, and an explorer of single elements that names the lines."""
