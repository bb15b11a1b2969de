package data

import "github.com/dplab/dplab/data/internal/rawfile"

// DirVariable is the environment variable that names the folder with the full data sets.
const DirVariable = rawfile.DirVariable

// ErrNotFound is returned, wrapped, when a data set is not on this machine. The message lists the
// files and where they come from.
var ErrNotFound = rawfile.ErrNotFound

// Dir returns the folder that holds the full data sets: explicit if it is not empty, else the value
// of DPLAB_DATA. It returns ErrNotFound if neither is given, and an error if the folder does not
// exist.
func Dir(explicit string) (string, error) { return rawfile.Dir(explicit) }
