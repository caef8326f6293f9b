"""Builds the native core; everything else about the distribution is in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["native/build_core.py:ffi"])
