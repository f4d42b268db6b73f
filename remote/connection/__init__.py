"""How a host is reached: SSH or a local channel, sessions, reconnecting, faults on the way."""
