"""Rules in GDL, and the propositional network that they become: read, checked, grounded, rewritten, analysed."""
