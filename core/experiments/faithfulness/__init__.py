"""Whether declared adoption is real: rounds played again with their experiences altered."""
