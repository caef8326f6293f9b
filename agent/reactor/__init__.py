"""What everything on twisted's reactor needs."""
