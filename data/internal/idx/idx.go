// Package idx reads the IDX format of MNIST and its relatives: a big-endian header and then raw
// bytes, row-major.
//
//	offset 0      two zero bytes
//	offset 2      type of the elements; 0x08, unsigned byte, is the only one in use here
//	offset 3      number of dimensions, n
//	offset 4      n sizes of 4 bytes each, big-endian
//	offset 4+4n   the elements
//
// Other element types are refused. The whole file must be in memory. A size in the header is
// compared with the length of the file before it is used.
//
//	array, err := idx.Parse("train-labels", raw)
//	if err != nil { ... }
//	fmt.Println(array.Sizes, array.Bytes[0])
//
// Reference: the format description at the foot of LeCun, Cortes, Burges, "The MNIST
// database of handwritten digits".
package idx

import (
	"encoding/binary"
	"fmt"
)

// maxDimensions is the largest number of dimensions that Parse accepts.
const maxDimensions = 8

// unsignedByte is the type code of the only element type that Parse accepts.
const unsignedByte = 0x08

// Array is a row-major array of bytes.
type Array struct {
	Sizes []int // one for each dimension, the slowest first
	Bytes []byte
}

// Parse reads an IDX file of unsigned bytes. Errors call it name. Bytes is a view into raw. A wrong
// magic number, sizes that do not fit the length, and bytes left over are errors.
func Parse(name string, raw []byte) (Array, error) {
	if len(raw) < 4 {
		return Array{}, fmt.Errorf("idx: %s: %d bytes: must have at least the 4 of a header", name, len(raw))
	}
	dims := int(raw[3])
	if raw[0] != 0 || raw[1] != 0 || raw[2] != unsignedByte || dims < 1 || dims > maxDimensions {
		return Array{}, fmt.Errorf("idx: %s: magic number 0x%08x: must be 0x000008NN with NN dimensions in [1, %d]", name, binary.BigEndian.Uint32(raw), maxDimensions)
	}
	header := 4 + 4*dims
	if len(raw) < header {
		return Array{}, fmt.Errorf("idx: %s: %d bytes: a header of %d dimensions takes %d: the file is truncated", name, len(raw), dims, header)
	}
	body := raw[header:]
	sizes, want := readSizes(raw[4:header], uint64(len(body)))
	if want != uint64(len(body)) {
		return Array{}, fmt.Errorf("idx: %s: %d bytes after the header: must match the sizes %v (truncated, or bytes left over)", name, len(body), sizes)
	}
	return Array{Sizes: sizes, Bytes: body}, nil
}

// readSizes returns the sizes and their product, or limit+1 if the product is above limit. It
// compares before each multiplication, which therefore cannot overflow.
func readSizes(raw []byte, limit uint64) (sizes []int, product uint64) {
	product = 1
	tooLarge, zero := false, false
	for ; len(raw) > 0; raw = raw[4:] {
		size := uint64(binary.BigEndian.Uint32(raw))
		sizes = append(sizes, int(size))
		zero = zero || size == 0
		if size > 0 && product > (limit+1)/size {
			tooLarge = true
			continue
		}
		product *= size
	}
	switch {
	case zero:
		return sizes, 0
	case tooLarge:
		return sizes, limit + 1
	}
	return sizes, product
}
