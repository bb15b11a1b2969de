//go:build unix

package koskela2023

import (
	"syscall"
	"time"
)

// clock returns the processor time that this process has used, on all cores. Other programs on the
// machine do not count.
func clock() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
