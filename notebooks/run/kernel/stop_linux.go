package kernel

import "syscall"

// CanStop says that Stopper works here.
const CanStop = true

// Stopper interrupts what a kernel runs for a cell, whatever that is at the time: goimports, the compiler, the linker,
// the cell's program, a shell line. GoNB passes an interrupt on to a program only, and forgets one that comes while it compiles.
type Stopper struct {
	kernel int
	asked  map[int]bool
}

// NewStopper returns a Stopper for what k runs.
func NewStopper(k *Kernel) *Stopper { return &Stopper{k.process.Pid, map[int]bool{}} }

// Interrupt sends SIGINT to each process that the kernel has started, directly or not, and that has had none from this Stopper.
func (s *Stopper) Interrupt() {
	for _, pid := range s.started() {
		if !s.asked[pid] {
			s.asked[pid] = true
			_ = syscall.Kill(pid, syscall.SIGINT) // one that has ended meanwhile is what is wanted
		}
	}
}

// Kill ends them all.
func (s *Stopper) Kill() {
	for _, pid := range s.started() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // as above
	}
}

// started returns the processes below the kernel, without gopls, which outlives cells.
func (s *Stopper) started() []int {
	children := map[int][]int{}
	for _, pid := range pids() {
		if st := stateOf(pid); st.runs() && st.name != "gopls" {
			children[st.parent] = append(children[st.parent], pid)
		}
	}
	var all []int
	for next := children[s.kernel]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}
