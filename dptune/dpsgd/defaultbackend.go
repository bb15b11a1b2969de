package dpsgd

import (
	"cmp"
	"os"
	"sync"
)

// BackendVariable is the variable of the environment that names the backend of every [Performance] that names none: one
// of [Backends], or "auto". It is read once, when the program starts.
const BackendVariable = "DPLAB_BACKEND"

// AutoBackend stands for the best backend that there is: xla:cuda if a device and its plugin answer, else xla:cpu if
// that opens, else go. Results tell which it was.
const AutoBackend = "auto"

// defaultBackend is what an empty name means; tests choose another.
var defaultBackend = cmp.Or(os.Getenv(BackendVariable), goBackend)

// ResolveBackend returns the name of the backend that a [Performance.Backend] stands for, "" and "auto" too, and
// opens it: an error says why it cannot be used.
func ResolveBackend(name string) (string, error) {
	name = resolve(name)
	_, err := openBackend(name)
	return name, err
}

// resolve returns the name that "" and "auto" stand for, and any other as it is.
func resolve(name string) string {
	if name == "" {
		name = defaultBackend
	}
	if name == AutoBackend {
		name = best()
	}
	return name
}

// best is the first backend that opens, the fastest first.
var best = sync.OnceValue(func() string { return firstThatOpens("xla:cuda", "xla:cpu") })

func firstThatOpens(names ...string) string {
	for _, name := range names {
		if _, err := openBackend(name); err == nil {
			return name
		}
	}
	return goBackend
}
