"""What can be told of a network: proven from its gates, or seen in random games."""
