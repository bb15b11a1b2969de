// Package rawfile has what loaders of data sets need: the folder that DPLAB_DATA names, files whose
// checksum is verified before a byte of them is used, and a cache for decoded forms.
package rawfile
