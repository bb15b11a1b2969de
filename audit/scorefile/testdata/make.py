"""Writes the arrays that TestReadArrays reads. Run it as `python make.py`, with NumPy 2.4.6 and pandas 3.1.1. No test runs it."""

import numpy
import pandas

scores, members = numpy.array([1.5, -2000.0]), numpy.array([True, False])
numpy.savez("scores.npz", score=scores, member=members, other=numpy.array(["a"]))
numpy.savez_compressed("named.npz", LLR=scores.astype("float32")[:, None], is_in=members.astype("int64"))
numpy.save("scores.npy", numpy.stack([scores, members], 1))
numpy.save("frame.npy", pandas.DataFrame({"score": scores, "member": members * 1.0}).to_numpy())
numpy.save("bad_column.npy", scores)
numpy.save("bad_member.npy", numpy.stack([members, scores], 1))
numpy.save("bad_nan.npy", numpy.array([[1, 1], [numpy.nan, 0]]))
numpy.save("bad_words.npy", numpy.array([["1", "0"]]))
numpy.savez("bad_lengths.npz", score=scores, member=members[:1])
numpy.savez("bad_shape.npz", score=scores[None, :], member=members)
