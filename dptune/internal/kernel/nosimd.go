//go:build !(amd64 && goexperiment.simd)

package kernel

// SIMD reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels.
const SIMD = false

// kernelsCountReplicas reports whether the size that the go backend chooses a kernel by is
// that of all replicas' products, not of one's.
const kernelsCountReplicas = true

// rowBlock is the number of rows that the go backend's kernels for small products take at once.
const rowBlock = 3

// rowStart is the time that such a kernel takes before it multiplies, for a row beyond its block,
// counted in multiplications.
const rowStart = 0
