"""What a person does with the memory: edit, pin, demote, undo; screening and near-duplicates."""
