"""Files of tokenizers: ours, and those of other libraries; `registry.py` lists them.

They are written by our own code. What is read may be a stranger's: it is bounded, checked, and
refused with one line that names the file. Nothing is ever executed: there is no pickle.
"""
