//go:build unix && !linux

package kernel

import "syscall"

// OwnGroup makes a process the leader of a new process group.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// SameGroup does nothing here.
func SameGroup() *syscall.SysProcAttr { return nil }

// KillGroup kills all processes of the group that pid leads.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

func groupRuns(pid int) bool { return syscall.Kill(-pid, 0) == nil }
