//go:build cgo && linux

package xla

// void dplab_trim_heap(void);
import "C"

// trim gives the system back what compiling took: up to 150 MB, of which steps need a part,
// and in pieces too small for their large blocks.
func trim() { C.dplab_trim_heap() }
