"""Builds the native core; everything else about the distribution is in pyproject.toml."""

from setuptools import setup

# cffi builds for the stable ABI, so one wheel serves this version of Python and all later ones.
setup(cffi_modules=["native/build_core.py:ffi"], options={"bdist_wheel": {"py_limited_api": "cp311"}})
