"""How experience travels as a file: banks, seeds, merges and conflicts."""
