"""Files of tokenizers: ours, and those of other libraries; `known.py` lists them.

They are written by our own code. What is read may come from anywhere: it is bounded, checked, and
refused with one line that names the file. Nothing is ever executed: there is no pickle.
"""
