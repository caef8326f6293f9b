"""Match records: what was played, in files that other programs read."""
