//go:build amd64 && goexperiment.simd

package dpsgd

// simdBuild reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels.
const simdBuild = true
