"""What an experiment asks: plans, their operators and cells."""
