"""One file per stage, with the same names in each, so that the diff of two is the lesson."""
