"""The frozen generator G behind one port: replay now, live endpoints beside it."""
