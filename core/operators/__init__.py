"""What is asked of the generator: operators and their test cases, from the catalogue or a user's folder."""
