"""Writes one array of each type, which TestTypes reads. Run it as `python make.py`, with NumPy 2.4.6. No test runs it."""

import numpy

for name, low, high in [
    ("bool", 0, 1), ("uint8", 0, 255), ("int8", -128, 127), ("uint16", 0, 65535), ("int16", -32768, 32767),
    ("uint32", 0, 2**32 - 1), ("int32", -(2**31), 2**31 - 1), ("uint64", 0, 2**53), ("int64", -(2**53), 2**53),
    ("float16", -1.5, 65504), ("float32", -1.5, 2**100), ("float64", -1.5, 1e300),
]:
    numpy.save(f"{name}.npy", numpy.array([[low, high], [1, 0]], name))
numpy.save("objects.npy", numpy.array([{"a": 1}, None]), allow_pickle=True)
numpy.save("words.npy", numpy.array(["cat", "dog"]))
numpy.save("fields.npy", numpy.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]))
