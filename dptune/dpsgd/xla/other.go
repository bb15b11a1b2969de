//go:build !cgo || !linux

package xla

import (
	"errors"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/xla/plugin"
)

func init() {
	for _, name := range []string{plugin.CPU, plugin.CUDA} {
		err := backend.Register(name, func() (compute.Backend, error) {
			return nil, errors.New("xla: built without cgo or not for Linux: build with CGO_ENABLED=1 and a C compiler, on Linux")
		})
		if err != nil {
			panic(err) // two packages register one name: the program is broken
		}
	}
}
