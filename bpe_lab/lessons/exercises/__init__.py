"""The exercises of the notebooks, a file each: what they check is shown only there."""
