"""What a word is: the patterns, the special tokens that cut a text, a text -> its words."""
