package dpsgd

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

const goBackend = "go"

var (
	backendsMutex sync.Mutex
	backends      = map[string]*backendEntry{
		goBackend: {open: func() (compute.Backend, error) { return gobackend.New("ops_sequential") }},
	}
)

type backendEntry struct {
	open     func() (compute.Backend, error)
	backend  compute.Backend // nil until it was opened
	compiled func()          // see AfterCompiling; nil for nothing
	memory   func() int64    // see SetDeviceMemory; nil where programs run in the host's memory
}

// RegisterBackend makes a backend known by name for [Performance.Backend]. open is called
// at the first use; its errors and panics become errors of NewTrainer. A package that
// needs a C compiler, such as one for XLA, registers itself when it is imported.
func RegisterBackend(name string, open func() (compute.Backend, error)) error {
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	if _, taken := backends[name]; taken || name == "" || open == nil {
		return fmt.Errorf("dpsgd: backend %q: must have a new name and a function that opens it", name)
	}
	backends[name] = &backendEntry{open: open}
	return nil
}

// AfterCompiling sets what is called when the programs of a trainer on a registered backend
// have run for the first time, such as giving back the memory that compiling took.
func AfterCompiling(name string, f func()) error {
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	entry, ok := backends[name]
	if !ok {
		return fmt.Errorf("dpsgd: backend %q: must be registered first", name)
	}
	entry.compiled = f
	return nil
}

// afterCompiling calls what AfterCompiling has set.
func afterCompiling(name string) {
	backendsMutex.Lock()
	entry := backends[name]
	backendsMutex.Unlock()
	if entry.compiled != nil {
		entry.compiled()
	}
}

// SetDeviceMemory says that a registered backend runs programs on a device with memory of its
// own, such as a GPU. bytes returns how much that is, 0 if it is not known. The defaults of
// [Performance] follow from it, and the limits of [EstimateMemory].
func SetDeviceMemory(name string, bytes func() int64) error {
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	entry, ok := backends[name]
	if !ok {
		return fmt.Errorf("dpsgd: backend %q: must be registered first", name)
	}
	entry.memory = bytes
	return nil
}

// usualDevice is the memory of a device that does not say: that of a large GPU, less a fifth.
const usualDevice = 64 << 30

// deviceMemory returns the bytes that a backend's device has, or false if it has no device.
func deviceMemory(name string) (bytes int64, ok bool) {
	backendsMutex.Lock()
	entry := backends[name]
	backendsMutex.Unlock()
	if entry == nil || entry.memory == nil {
		return 0, false
	}
	if bytes = entry.memory(); bytes <= 0 {
		bytes = usualDevice
	}
	return bytes, true
}

// Backends returns the names of the known backends, sorted.
func Backends() []string {
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	names := make([]string, 0, len(backends))
	for name := range backends {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// OpenBackend returns the backend that [Performance.Backend] names, opening it at the first
// use, for measurements beside the trainer. It is shared: do not finalize it.
func OpenBackend(name string) (compute.Backend, error) {
	return openBackend(resolve(name))
}

// openBackend returns the backend of a name, opening it at the first use.
func openBackend(name string) (backend compute.Backend, err error) {
	known := Backends()
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	entry, ok := backends[name]
	if !ok {
		field := "Performance.Backend"
		if name == os.Getenv(BackendVariable) {
			field = BackendVariable
		}
		return nil, fmt.Errorf("dpsgd: %s %q: must be one of %s", field, name, strings.Join(append(known, AutoBackend), ", "))
	}
	if entry.backend != nil {
		return entry.backend, nil
	}
	defer recoverAs(&err, "backend "+name)
	opened, err := entry.open()
	if err != nil { // only then: a failed constructor may return a non-nil interface
		return nil, fmt.Errorf("dpsgd: backend %q does not open: %w", name, err)
	}
	entry.backend = opened
	return opened, nil
}

// recoverAs turns a panic of the graph library into an error about what.
func recoverAs(err *error, what string) {
	if p := recover(); p != nil {
		if cause, ok := p.(error); ok {
			*err = fmt.Errorf("dpsgd: %s: %w", what, cause)
			return
		}
		*err = fmt.Errorf("dpsgd: %s: %v", what, p)
	}
}

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
