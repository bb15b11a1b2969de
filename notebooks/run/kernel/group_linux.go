package kernel

import "syscall"

// OwnGroup makes a process the leader of a new process group, and lets it be told to end (SIGTERM) when the
// thread that started it ends.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// SameGroup lets a process be told to end (SIGTERM) when the thread that started it ends.
func SameGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// KillGroup kills all processes of the group that pid leads.
func KillGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // an empty group is what is wanted
}

// terminateGroup asks all processes of the group that pid leads to end.
func terminateGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGTERM) // as above
}
