"""Writes arrays.npz and packed.npz, which TestNumPy reads. Run it as `python make.py`, with NumPy 2.4.6. No test runs it."""

import numpy

a = numpy.arange(24, dtype="<f4").reshape(2, 3, 4) / 8
arrays = {
    "single": a,
    "double": numpy.array([1 / 3, -0.0, 1e300]),
    "fortran": numpy.asfortranarray(a),
    "number": numpy.float64(2.5),
    "empty": numpy.zeros((0, 3), "<f4"),
    "integers": numpy.arange(3),
    "half": numpy.array([1 / 3, -0.0, 65504, 2**-24, -(2**-14), 3 * 2**-20, numpy.inf, -numpy.inf], "<f2"),
    "big": numpy.arange(3, dtype=">f4"),
}
numpy.savez("arrays.npz", **arrays)
numpy.savez_compressed("packed.npz", **arrays)
