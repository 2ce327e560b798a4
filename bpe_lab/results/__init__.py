"""Results: records, the tables made from them, and the published timings beside them."""
