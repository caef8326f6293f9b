"""Games on a graphics processor, through numba.cuda: those that the native simulator plays, many more at once.

numba is optional (`pip install 'ludens[gpu]'`); nothing here imports it before a simulator is made.
"""
