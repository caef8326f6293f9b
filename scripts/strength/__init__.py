"""Who is stronger, and how well games are solved."""
