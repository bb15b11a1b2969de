//go:build !linux

package kernel

// EndMarked does nothing here: the environment of another process is a matter of Linux.
func EndMarked(dir string) {}

// CanStop says that Stopper does nothing here: the parent of a process is found in /proc, which
// only Linux has.
const CanStop = false

// Stopper does nothing here.
type Stopper struct{}

// NewStopper returns a Stopper.
func NewStopper(*Kernel) *Stopper { return &Stopper{} }

// Interrupt does nothing here.
func (*Stopper) Interrupt() {}

// Kill does nothing here.
func (*Stopper) Kill() {}
