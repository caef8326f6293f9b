"""The options, arguments and help of each subcommand; what it does is imported only when it runs."""
