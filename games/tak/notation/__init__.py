"""How people write positions, moves and games of Tak: TPS and PTN."""
