//go:build !(amd64 && goexperiment.simd)

package kernel

// SIMD reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels.
const SIMD = false

// VectorLevel names the vector kernels of the go backend: AVX-512, AVX2 or none.
func VectorLevel() string { return "none" }

// kernelsCountReplicas reports whether the go backend chooses a kernel by the size of all replicas'
// products, not of one.
const kernelsCountReplicas = true

// rowBlock is the number of rows that the go backend's kernels for small products process at once.
const rowBlock = 3

// rowStart is the time of such a kernel before it multiplies, for a row outside a block, in
// multiplications.
const rowStart = 0
