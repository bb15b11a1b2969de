//go:build unix

package main

import (
	"runtime"
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

// peakRSS returns the most memory that this process had resident, in MB of 2^20 bytes.
func peakRSS() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return float64(usage.Maxrss) / (1 << 20) // in bytes
	}
	return float64(usage.Maxrss) / (1 << 10) // in kilobytes
}
