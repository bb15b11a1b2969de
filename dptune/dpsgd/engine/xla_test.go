//go:build xla

package engine_test

// With -tags xla, the tests can run on DPLAB_TEST_BACKEND=xla:cpu.
import _ "github.com/dplab/dplab/dptune/dpsgd/xla"
