// Package backend lists the backends that run programs: "go", which is pure Go, and those that
// register themselves, such as "xla:cpu" and "xla:cuda" of package xla.
//
//	if err := backend.Register("mine", open); err != nil { ... }
//	perf := engine.Performance{Backend: "mine"}
//
// A backend is opened at its first use and shared afterwards.
//
// It promises nothing to other modules.
package backend

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/dplab/dplab/dptune/dpsgd/internal/arrays"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Go is the backend that is always available.
const Go = "go"

var (
	mutex sync.Mutex
	known = map[string]*entry{
		Go: {open: func() (compute.Backend, error) { return gobackend.New("ops_sequential") }},
	}
)

type entry struct {
	open     func() (compute.Backend, error)
	backend  compute.Backend // nil until it is opened
	compiled func()          // see AfterCompiling; nil for nothing
	memory   func() int64    // see SetDeviceMemory; nil if programs run in the host's memory
	kernels  func() string   // see SetKernels; nil if nobody declared them
}

// Register adds a backend under a name for engine.Performance. open is called at the first use. Its
// errors and panics become errors of NewTrainer. A package that needs a C compiler, such as xla,
// registers its backends when it is imported.
func Register(name string, open func() (compute.Backend, error)) error {
	mutex.Lock()
	defer mutex.Unlock()
	if _, taken := known[name]; taken || name == "" || open == nil {
		return fmt.Errorf("backend: %q: must be a new name, with a function that opens it", name)
	}
	known[name] = &entry{open: open}
	return nil
}

// AfterCompiling sets a function that is called when the programs of a trainer on a registered
// backend have run for the first time. It can, for instance, return the memory that compiling took.
func AfterCompiling(name string, f func()) error {
	return change(name, func(e *entry) { e.compiled = f })
}

// Compiled calls the function that AfterCompiling has set, if any.
func Compiled(name string) {
	mutex.Lock()
	e := known[name]
	mutex.Unlock()
	if e.compiled != nil {
		e.compiled()
	}
}

// SetDeviceMemory declares that a registered backend runs programs on a device with its own memory,
// such as a GPU. bytes returns the size of that memory, 0 if it is not known. The defaults of
// engine.Performance and the limits of engine.EstimateMemory depend on it.
func SetDeviceMemory(name string, bytes func() int64) error {
	return change(name, func(e *entry) { e.memory = bytes })
}

// SetKernels declares what the rounding of programs on a registered backend depends on, apart from
// their text and the settings of engine.Performance: such as a library and its version, flags, and
// the kind of processor. f is called when the backend is open. See [Kernels].
func SetKernels(name string, f func() string) error {
	return change(name, func(e *entry) { e.kernels = f })
}

// Kernels describes what the rounding of programs on an open backend depends on, in one line. On
// the go backend that is the architecture, and the vector kernels that this process uses. It is
// part of the identity of a run or search: from a secret root, another description draws other
// numbers. Checkpoints of another one are refused.
func Kernels(name string) string {
	if name == Go {
		return runtime.GOARCH + ", vector kernels " + kernel.VectorLevel()
	}
	mutex.Lock()
	e := known[name]
	mutex.Unlock()
	if e == nil || e.kernels == nil {
		return runtime.GOARCH
	}
	return e.kernels()
}

// change changes the entry of a registered backend.
func change(name string, to func(e *entry)) error {
	mutex.Lock()
	defer mutex.Unlock()
	e, ok := known[name]
	if !ok {
		return fmt.Errorf("backend: %q: must be registered first", name)
	}
	to(e)
	return nil
}

// usualDevice is the memory assumed of a device if it is not known: that of a large GPU, less a
// fifth.
const usualDevice = 64 << 30

// DeviceMemory returns the bytes that a backend's device has, or false if it has no device.
func DeviceMemory(name string) (bytes int64, ok bool) {
	mutex.Lock()
	e := known[name]
	mutex.Unlock()
	if e == nil || e.memory == nil {
		return 0, false
	}
	if bytes = e.memory(); bytes <= 0 {
		bytes = usualDevice
	}
	return bytes, true
}

// Names returns the names of the known backends, sorted.
func Names() []string {
	mutex.Lock()
	defer mutex.Unlock()
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open returns the backend for a name in engine.Performance, and opens it at the first use. It is
// shared: do not finalize it.
func Open(name string) (compute.Backend, error) { return open(Named(name)) }

// open is Open for a name that is neither "" nor Auto.
func open(name string) (backend compute.Backend, err error) {
	names := Names()
	mutex.Lock()
	defer mutex.Unlock()
	e, ok := known[name]
	if !ok {
		field := "Performance.Backend"
		if name == os.Getenv(Variable) {
			field = Variable
		}
		return nil, fmt.Errorf("backend: %s %q: must be one of %s", field, name, strings.Join(append(names, Auto), ", "))
	}
	if e.backend != nil {
		return e.backend, nil
	}
	defer arrays.RecoverAs(&err, "backend "+name)
	opened, err := e.open()
	if err != nil { // checked first: a failed constructor may return a non-nil interface
		return nil, fmt.Errorf("backend: %q does not open: %w", name, err)
	}
	e.backend = opened
	return opened, nil
}

// Variable is the environment variable that names the backend of every engine.Performance without
// one. Its value is one of [Names], or "auto". It is read once, at the first use.
const Variable = "DPLAB_BACKEND"

// Auto is the best backend available: xla:cuda if a device and its plugin work, otherwise xla:cpu
// if it opens, otherwise go. Results report which one was used.
const Auto = "auto"

// byDefault is the backend for an empty name.
var byDefault = sync.OnceValue(func() string { return cmp.Or(os.Getenv(Variable), Go) })

// Resolve returns the name of the backend for a name in engine.Performance, including "" and
// "auto", and opens it. The error is the reason why it cannot be used.
func Resolve(name string) (string, error) {
	name = Named(name)
	_, err := open(name)
	return name, err
}

// Named returns the name of the backend for "" and "auto", and any other name unchanged.
func Named(name string) string {
	if name == "" {
		name = byDefault()
	}
	if name == Auto {
		name = best()
	}
	return name
}

// best is the first backend that opens, the fastest first.
var best = sync.OnceValue(func() string { return firstThatOpens("xla:cuda", "xla:cpu") })

func firstThatOpens(names ...string) string {
	for _, name := range names {
		if _, err := open(name); err == nil {
			return name
		}
	}
	return Go
}
