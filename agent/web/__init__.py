"""Ludens in a browser: pages that show and play games."""
