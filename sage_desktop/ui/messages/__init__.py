"""What tells a person something: notice strip, toast, question, report, empty page."""
