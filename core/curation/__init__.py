"""What a person does with the memory: edit, pin, demote, undo; near-duplicates."""
