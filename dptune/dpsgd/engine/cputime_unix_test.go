//go:build unix

package engine_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, on all cores.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
