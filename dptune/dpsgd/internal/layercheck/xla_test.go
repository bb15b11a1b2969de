//go:build xla

package layercheck_test

// With -tags xla, the tests can run on DPLAB_BACKEND=xla:cpu.
import _ "github.com/dplab/dplab/dptune/dpsgd/xla"
