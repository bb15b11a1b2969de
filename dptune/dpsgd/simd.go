//go:build amd64 && goexperiment.simd

package dpsgd

import "simd/archsimd"

// simdBuild reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels.
const simdBuild = true

// kernelsCountReplicas reports whether the size that the go backend chooses a kernel by is
// that of all replicas' products, not of one's: so do the kernels for AVX-512.
var kernelsCountReplicas = archsimd.X86.AVX512()
