"""What is wrong with a rule sheet, or looks wrong, as far as reading it tells; one file a kind of mistake."""
