"""Published benchmarks, as their authors ship them."""
