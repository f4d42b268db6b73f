"""What a coding agent that SAGE drives may see: its candidate's folder and its model."""
