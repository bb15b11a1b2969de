// Package rawfile has what loaders of data sets need. It finds the folder that DPLAB_DATA names,
// verifies the checksum of a file before a byte of it is used, and caches decoded forms.
package rawfile
