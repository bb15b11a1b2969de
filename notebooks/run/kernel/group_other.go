//go:build !unix

package kernel

import (
	"os"
	"syscall"
)

// OwnGroup does nothing here.
func OwnGroup() *syscall.SysProcAttr { return nil }

// SameGroup does nothing here.
func SameGroup() *syscall.SysProcAttr { return nil }

// KillGroup kills the process pid. Only Unix has process groups.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func terminateGroup(pid int) {}

func groupRuns(pid int) bool { return false }
