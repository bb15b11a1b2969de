//go:build !unix

package main

import (
	"runtime"
	"time"
)

var started = time.Now()

// cpuTime returns the time since the start. The processor time cannot be read portably.
func cpuTime() time.Duration { return time.Since(started) }

// peakRSS returns the memory that the Go runtime took from the system, in MB.
func peakRSS() float64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.Sys) / (1 << 20)
}
