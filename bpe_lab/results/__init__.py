"""What was measured: records, the tables made of them, and the published timings beside them."""
