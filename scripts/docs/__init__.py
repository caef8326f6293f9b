"""What is generated for the documents: tables and pictures from docs/data, and the reference from the program itself.

May see all other rooms of scripts, whose formats of data it reads; none of them sees it.
"""
