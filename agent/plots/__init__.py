"""Plots of results as SVG."""
