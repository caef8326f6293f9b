"""Random games of networks on a graphics processor, through numba.cuda, many more at once than on a core.

numba is optional (`pip install 'ludens[gpu]'`); nothing here imports it before a simulator is made.
"""
