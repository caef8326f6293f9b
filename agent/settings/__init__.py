"""What users say: the settings of the player, and values on the command line."""
