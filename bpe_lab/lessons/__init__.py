"""What the notebooks use: pictures, twins of compiled code, exercises, the checker of a stage."""
