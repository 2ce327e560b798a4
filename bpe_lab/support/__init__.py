"""What every room uses: files, the machine, progress, processes, errors."""
