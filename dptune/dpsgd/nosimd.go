//go:build !(amd64 && goexperiment.simd)

package dpsgd

// simdBuild reports whether the program was built with GOEXPERIMENT=simd, which gives the
// go backend its vector kernels.
const simdBuild = false

// kernelsCountReplicas reports whether the size that the go backend chooses a kernel by is
// that of all replicas' products, not of one's.
const kernelsCountReplicas = true
