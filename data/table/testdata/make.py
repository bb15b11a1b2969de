"""Writes pandas.csv, which TestPandas reads. Run it as `python make.py`, with pandas 3.1.1. No test runs it."""

import pandas

# A missing value turns a column of whole numbers into floats: 1 is written as 1.0.
pandas.DataFrame({
    "age": [30, None, 75],
    "rooms": [2, 3, None],
    "smoker": [True, False, True],
    "vote": [True, False, False],
    "grade": pandas.Series([1, -1, 0], dtype="float64"),
}).to_csv("pandas.csv")
