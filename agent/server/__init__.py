"""The player on the network: HTTP, matches, and the engine processes that it keeps."""
