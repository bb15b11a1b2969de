package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// busyTime returns the processor time that all cores have spent on all processes since the machine
// started. It is 0 if the system has no /proc/stat.
func busyTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	total := time.Duration(0)
	for _, i := range []int{1, 2, 3, 6, 7} { // user, nice, system, irq, softirq
		if i >= len(fields) {
			return 0
		}
		ticks, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0
		}
		total += time.Duration(ticks) * tick
	}
	return total
}
