"""What results say: figures, tests, tables, pages and comparisons."""
