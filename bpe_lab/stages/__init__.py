"""One file per stage; the names are the same in all of them, so that a diff is the lesson."""
