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

// EndMarked kills all processes whose temporary folder (TMPDIR in the environment that they were started with) is dir or
// lies in it, in whatever group and session they are. It looks again until two looks in turn find none, as one that is just being
// started may be missed, and gives up after some seconds on those that cannot be killed.
func EndMarked(dir string) {
	deadline := time.Now().Add(5 * time.Second)
	for clean := 0; clean < 2 && time.Now().Before(deadline); {
		clean++
		for _, pid := range pids() {
			if pid != os.Getpid() && marked(pid, dir) && stateOf(pid).runs() {
				_ = syscall.Kill(pid, syscall.SIGKILL) // what has ended meanwhile is what is wanted
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

// marked reports whether the environment of the process says that dir, or a folder in it, is for its temporary files.
// Other users' processes cannot be read and are not ours.
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

// state is what /proc/PID/stat says of a process.
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

// groupRuns reports whether a process of the group runs. One that has ended and waits for its parent to ask does not.
func groupRuns(pid int) bool {
	for _, p := range pids() {
		if s := stateOf(p); s.group == pid && s.runs() {
			return true
		}
	}
	return false
}
