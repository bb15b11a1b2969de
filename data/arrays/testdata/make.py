"""Writes the arrays that the tests of this package read. Run it as `python make.py`, with NumPy 2.4.6. No test runs it."""

import numpy

pixels = numpy.arange(24, dtype="uint8").reshape(4, 2, 3) * 10
classes = numpy.array([2, 0, 1, 2])
table = numpy.array([[-1, 0.5], [3, 9], [1, -7], [0, 2]])
numpy.savez("images.npz", x=pixels, y=classes, names=numpy.array([{}], object), column=classes[:, None])
numpy.savez_compressed("packed.npz", train_images=pixels, train_labels=classes[:, None].astype("uint8"))
numpy.save("x.npy", table)
numpy.save("x32.npy", table.astype("float32"))
numpy.save("x_fortran.npy", numpy.asfortranarray(table))
numpy.savez("fortran.npz", x=numpy.asfortranarray(pixels), y=classes)
numpy.save("line.npy", table[:, 0])
numpy.save("mask.npy", table > 0)
numpy.save("y.npy", classes)
numpy.save("y_float.npy", classes.astype("float64"))

numpy.save("bad_objects.npy", numpy.array([[1], [None], [2], [3]], object))
numpy.save("bad_words.npy", numpy.array(["a", "b", "a", "b"]))
numpy.save("bad_endian.npy", table.astype(">f4"))
numpy.save("bad_complex.npy", table + 1j)
numpy.save("bad_nan.npy", numpy.where(table == 9, numpy.nan, table))
numpy.save("bad_fortran.npy", numpy.asfortranarray(numpy.where(table == 9, numpy.nan, table)))
numpy.save("bad_infinite.npy", numpy.where(table == -7, -numpy.inf, table))
numpy.save("bad_three.npy", classes[:3])
numpy.save("bad_square.npy", numpy.zeros((4, 2), "int64"))
numpy.save("bad_class.npy", numpy.array([0, 1, 3, 2]))
numpy.save("bad_negative.npy", numpy.array([0, 1, -1, 2]))
numpy.save("bad_half.npy", numpy.array([0, 1, 0.5, 2]))
numpy.save("bad_number.npy", numpy.float64(3))
numpy.save("bad_empty.npy", numpy.zeros((0, 2)))
numpy.save("bad_sides.npy", numpy.zeros((4, 0)))
with open("x.npy", "rb") as f:
    whole = f.read()
with open("bad_cut.npy", "wb") as f:
    f.write(whole[:-3])
