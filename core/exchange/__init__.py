"""How experience travels as a file: banks, seeds, merges and what two memories changed apart."""
