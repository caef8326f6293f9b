"""The compiler from rules to a network, a file a stage."""
