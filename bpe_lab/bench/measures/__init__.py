"""What is measured: each function is called once, in a process of its own, and returns a value."""
