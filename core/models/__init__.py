"""The frozen generator G behind one port: live endpoints, a person, and what they have in common."""
