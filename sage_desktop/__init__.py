"""What a person sees and touches: the window and the command line."""
