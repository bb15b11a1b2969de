//go:build xla

package models_test

// With -tags xla, the tests against PyTorch can run on DPLAB_TEST_BACKEND=xla:cpu.
import _ "github.com/dplab/dplab/dptune/dpsgd/xla"
