"""Generates the tables, pictures and reference pages of the documents."""
