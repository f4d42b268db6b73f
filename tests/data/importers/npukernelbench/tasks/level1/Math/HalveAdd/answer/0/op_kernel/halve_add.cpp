// must never be read
