"""One call of a candidate: its memory, what its programs are asked, what they answer."""
