// Package rawfile has the common parts of loaders of data sets. It finds the folder that DPLAB_DATA
// names, verifies the checksum of a file before a byte of it is used, and caches decoded forms.
package rawfile
