package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// goRun returns the process of the go command that started this program (go run), or false if it
// was started by hand, or this is not Linux.
func goRun() (process int, ok bool) {
	process = os.Getppid()
	program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(process), "exe"))
	return process, err == nil && strings.TrimSuffix(filepath.Base(program), " (deleted)") == "go"
}

// commanded returns when the user gave the command: when go run started, which first compiles this
// program. It is now if that is unknown.
func commanded() time.Time {
	if process, ok := goRun(); ok {
		if age, err := processAge(process); err == nil {
			return time.Now().Add(-age)
		}
	}
	return time.Now()
}

// processAge returns how long ago a process of Linux was started.
//
// Reference: proc_pid_stat(5). The second field may have spaces and parentheses. Field 22 counts
// hundredths of a second since the machine was started, as the first number of /proc/uptime.
func processAge(process int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return 0, err
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	after := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(after) < 20 {
		return 0, fmt.Errorf("%q: must have 22 fields", stat)
	}
	up, _, _ := strings.Cut(string(uptime), " ")
	began, err := strconv.ParseFloat(after[19], 64)
	if err != nil {
		return 0, err
	}
	now, err := strconv.ParseFloat(up, 64)
	return time.Duration((now - began/100) * float64(time.Second)), err
}
