//go:build xla && cgo && linux

package show

import _ "github.com/dplab/dplab/dptune/dpsgd/xla" // so every cell that shows something can train on xla:cpu and xla:cuda
