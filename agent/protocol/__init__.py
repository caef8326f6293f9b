"""What players, managers and engines say to each other, and when; no I/O."""
