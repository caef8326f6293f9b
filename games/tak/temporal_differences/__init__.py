"""An evaluation of Tak that learns by temporal differences: its inputs and its network, written to be read."""
