//go:build !linux

package kernel

// EndMarked does nothing here: only Linux shows the environment of another process.
func EndMarked(dir string) {}

// CanStop reports that Stopper does nothing here. Only Linux has /proc, where the parent of a
// process is found.
const CanStop = false

// Stopper does nothing here.
type Stopper struct{}

// NewStopper returns a Stopper.
func NewStopper(*Kernel) *Stopper { return &Stopper{} }

// Interrupt does nothing here.
func (*Stopper) Interrupt() {}

// Kill does nothing here.
func (*Stopper) Kill() {}
