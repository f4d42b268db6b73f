"""How a host is reached: channels over SSH, sessions, reconnecting, faults on the way."""
