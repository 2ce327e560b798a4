"""The command line: `cli` is the program, each other file a command."""
