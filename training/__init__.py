"""Makes the reader that wellworn ships: data, training, judging, export; `make reader` runs it."""
