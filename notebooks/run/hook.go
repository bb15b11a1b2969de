package main

import "github.com/dplab/dplab/notebooks/run/report"

var writeReport = func(path string, runs []report.Run) error { return nil }
