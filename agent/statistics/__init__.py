"""What the results of games tell: intervals, and the sequential test."""
