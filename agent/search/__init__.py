"""Searches and how they are put together; planning; searching by factors."""
