"""Folders of long trainings, which may be killed at any time and go on to the last bit: checkpoints and curves."""
