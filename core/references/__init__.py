"""What can be looked up: the reference of the API, skeletons of its use, and documentation a user added."""
