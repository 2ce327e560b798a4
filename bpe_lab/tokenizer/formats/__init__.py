"""Files of tokenizers: ours, and those of other libraries; `registry.py` lists them.

They are written by our own code. Files to read may come from anywhere: their size is limited, their
content checked, and bad ones are refused with one line that names the file. Nothing is ever
executed: there is no pickle.
"""
