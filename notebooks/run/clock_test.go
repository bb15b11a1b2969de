package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// A process is as old as the clock shows since its start. The file counts hundredths of a second.
func TestProcessAge(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	before := time.Now()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip("no sleep: ", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	least := time.Now()
	time.Sleep(100 * time.Millisecond)
	atLeast := time.Since(least)
	age, err := processAge(cmd.Process.Pid)
	atMost := time.Since(before)
	if err != nil || age < atLeast-20*time.Millisecond || age > atMost+20*time.Millisecond {
		t.Errorf("%v, %v, want from %v to %v", age, err, atLeast, atMost)
	}
	if _, err := processAge(-1); err == nil {
		t.Error("no process -1, and no error")
	}
	if now := commanded(); now.After(time.Now()) {
		t.Errorf("%v is in the future", now)
	}
	if self, err := processAge(os.Getpid()); err != nil || self < age {
		t.Errorf("this process: %v, %v, want at least %v", self, err, age)
	}
}
