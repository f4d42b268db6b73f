"""Two versions of a text side by side: pure comparison, code colours, the painted view. Panels share it."""
