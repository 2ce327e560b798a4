"""The suites of benchmarks, each in one place: cases, what is measured, table and figures."""
