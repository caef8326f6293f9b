"""Random games of checkers on graphics processors, and on the processor through numba. Sees `rules`, `bitboards`."""
