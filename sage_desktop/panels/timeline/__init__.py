"""What every pipe of a round's kernel did and when."""
