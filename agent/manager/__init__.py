"""The Game Manager: matches between players over HTTP."""
