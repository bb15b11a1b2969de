//go:build cgo && linux

package xla

// void dplab_trim_heap(void);
import "C"

// trim returns the memory of compiling to the system, up to 150 MB. Steps need only a part of it,
// and its pieces are too small for their large blocks.
func trim() { C.dplab_trim_heap() }
