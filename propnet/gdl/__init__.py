"""The Game Description Language: its syntax, its checks, and the oracle that plays by the text alone."""
