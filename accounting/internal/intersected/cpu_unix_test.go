//go:build unix

package intersected_test

import (
	"syscall"
	"time"
)

// processorTime is what this process has used: unlike the clock it does not count what others run.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
