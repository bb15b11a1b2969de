//go:build xla && cgo && linux

package show

import _ "github.com/dplab/dplab/dptune/dpsgd/xla" // so that every cell that shows something can train on xla:cpu and xla:cuda
