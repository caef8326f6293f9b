"""The player: protocol, clocks, the engine that thinks, matches, and the command `ludens`."""
