"""Hours of learning the evaluation of any game by self-play: the best so far is kept for all players."""
