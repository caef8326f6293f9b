"""The rules of checkers: as parameters, as played by the reference, and positions as arrays. Sees no other room."""
