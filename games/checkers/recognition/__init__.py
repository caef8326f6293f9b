"""Recognises checkers in a network, and proves it by play. Sees `rules`, `bitboards`.

In the order of the work: `sampled_games`, `term_shapes`, `board_layouts`, `board`, `history`, `moves`, `facts`,
`encoding`, `rule_inference`, `stress_positions`, `proof`; `recognise` puts them together.
"""
