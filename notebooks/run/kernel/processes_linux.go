package kernel

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EndMarked kills all processes whose temporary folder is dir or a folder in it, in any group and
// session. The temporary folder is TMPDIR in the environment that a process was started with. A
// process that is just starting may be missed, so EndMarked repeats until it has found none twice
// in a row. After some seconds it gives up on those that cannot be killed.
func EndMarked(dir string) {
	deadline := time.Now().Add(5 * time.Second)
	for clean := 0; clean < 2 && time.Now().Before(deadline); {
		clean++
		for _, pid := range pids() {
			if pid != os.Getpid() && marked(pid, dir) && stateOf(pid).runs() {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
				clean = 0
			}
		}
		time.Sleep(poll / 2)
	}
}

// pids returns the processes that /proc lists.
func pids() []int {
	entries, _ := os.ReadDir("/proc") // without it nothing is found
	var all []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// marked reports whether dir, or a folder in it, is the temporary folder of the process, by its
// environment. Other users' processes cannot be read, and are not ours.
func marked(pid int, dir string) bool {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := strings.CutPrefix(string(entry), "TMPDIR="); ok && (value == dir || strings.HasPrefix(value, dir+"/")) {
			return true
		}
	}
	return false
}

// state is what /proc/PID/stat reports of a process.
type state struct {
	letter string // Z, X: has ended; empty: there is none
	name   string // of its program, 15 bytes at most
	parent int
	group  int
}

func (s state) runs() bool { return s.letter != "" && s.letter != "Z" && s.letter != "X" }

func stateOf(pid int) state {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return state{}
	}
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')') // the name between may hold anything
	fields := strings.Fields(string(stat[end+1:]))
	if open < 0 || len(fields) < 3 {
		return state{}
	}
	parent, _ := strconv.Atoi(fields[1]) // digits only
	group, _ := strconv.Atoi(fields[2])
	return state{fields[0], string(stat[open+1 : end]), parent, group}
}

// groupRuns reports whether a process of the group runs. One that has ended and waits for its
// parent does not.
func groupRuns(pid int) bool {
	for _, p := range pids() {
		if s := stateOf(p); s.group == pid && s.runs() {
			return true
		}
	}
	return false
}

// CanStop reports that Stopper works here.
const CanStop = true

// Stopper interrupts what a kernel runs for a cell, whatever it is: goimports, the compiler, the
// linker, the cell's program, a shell line. GoNB passes an interrupt only to a program, and forgets
// one that comes while it compiles.
type Stopper struct {
	kernel int
	asked  map[int]bool
}

// NewStopper returns a Stopper for what k runs.
func NewStopper(k *Kernel) *Stopper { return &Stopper{k.process.Pid, map[int]bool{}} }

// Interrupt sends SIGINT to each process that the kernel has started, directly or indirectly, once
// for each Stopper.
func (s *Stopper) Interrupt() {
	for _, pid := range s.started() {
		if !s.asked[pid] {
			s.asked[pid] = true
			_ = syscall.Kill(pid, syscall.SIGINT) // it may have ended by itself
		}
	}
}

// Kill kills all of them.
func (s *Stopper) Kill() {
	for _, pid := range s.started() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // as above
	}
}

// started returns the processes below the kernel, except gopls, which outlives cells.
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

// OwnGroup makes a process the leader of a new process group. The process gets SIGTERM when the
// thread that started it ends.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// SameGroup sends a process SIGTERM when the thread that started it ends.
func SameGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// KillGroup kills all processes of the group that pid leads.
func KillGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // the group may be empty
}

// terminateGroup asks all processes of the group that pid leads to end.
func terminateGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGTERM) // as above
}
