//go:build amd64 && goexperiment.simd

package kernel

import "simd/archsimd"

// SIMD reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels, and runs on a processor that has them.
var SIMD = archsimd.X86.AVX2()

// VectorLevel names the vector kernels of the go backend: AVX-512, AVX2, or none in either build.
// The two builds without vectors round differently.
func VectorLevel() string {
	switch {
	case archsimd.X86.AVX512():
		return "AVX-512"
	case SIMD:
		return "AVX2"
	default:
		return "none, in a build with GOEXPERIMENT=simd"
	}
}

// kernelsCountReplicas reports whether the go backend chooses a kernel by the size of all replicas'
// products, not of one. It does for AVX-512.
var kernelsCountReplicas = archsimd.X86.AVX512() || !archsimd.X86.AVX2()

// rowBlock is the number of rows that the go backend's kernels for small products process at once.
const rowBlock = 4

// rowStart is the time of such a kernel before it multiplies, for a row outside a block, in
// multiplications. It sets registers to zero by an instruction that is slow while their upper
// halves are in use.
const rowStart = 16
