package dpsgd

import "github.com/gomlx/compute"

// OpenBackend returns the backend that [Performance.Backend] names, opening it at the first
// use, for measurements beside the trainer. It is shared: do not finalize it.
func OpenBackend(name string) (compute.Backend, error) {
	if name == "" {
		name = defaultBackend
	}
	return openBackend(name)
}
