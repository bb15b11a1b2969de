package freememory_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd/internal/freememory"
)

// What is left is at most what the machine has, and less than the limit of a process that has one.
func TestBytes(t *testing.T) {
	if os.Getenv("DPLAB_TEST_FREEMEMORY") != "" {
		os.Stdout.WriteString("bytes " + strconv.FormatInt(freememory.Bytes(), 10) + "\n")
		return
	}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		if got := freememory.Bytes(); got != 0 {
			t.Errorf("%d bytes, want 0 where the system does not say it", got)
		}
		return
	}
	kilobytes, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64) // MemTotal, the first line
	if got := freememory.Bytes(); got <= 0 || got > kilobytes<<10 {
		t.Errorf("%d bytes, want some of %d kilobytes", got, kilobytes)
	}
	child := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" -test.run=^TestBytes$`, os.Args[0])
	child.Env = append(os.Environ(), "DPLAB_TEST_FREEMEMORY=1")
	out, err := child.CombinedOutput()
	_, rest, _ := strings.Cut(string(out), "bytes ")
	got, parseErr := strconv.ParseInt(strings.Fields(rest + " -")[0], 10, 64)
	if err != nil || parseErr != nil || got <= 0 || got > 4000000<<10 {
		t.Errorf("a process of at most 4000000 kilobytes: %s, %v, want fewer bytes", out, err)
	}
}
