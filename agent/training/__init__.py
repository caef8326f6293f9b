"""Long trainings of evaluations that belong to one game: they may be killed at any time, and go on to the last bit."""
