"""How a player is taught a game."""

import os

# Before numpy and PyTorch are loaded: for networks as small as these, threads that spin while they wait cost more than
# they gain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
