"""Games made of their rules, which are played one state at a time and drawn."""
