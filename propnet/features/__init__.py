"""What evaluations see of a state besides its propositions, as gates; one kind a file."""
