"""The native core: bit-sliced simulation and tree search in C++, bound with cffi in API mode."""
