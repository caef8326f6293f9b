"""The command `ludens`: one file a subcommand, and what they share."""
