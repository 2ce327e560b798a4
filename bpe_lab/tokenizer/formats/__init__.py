"""Files of tokenizers: ours, and those of other libraries; `registry.py` lists them."""
