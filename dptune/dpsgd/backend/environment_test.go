package backend

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// The environment names the backend of a Performance without one. The error for a wrong name shows
// its source. A name in the Performance takes precedence.
func TestBackendOfTheEnvironment(t *testing.T) {
	if os.Getenv("DPLAB_TEST_CHILD") != "" { // the other side
		own, err := Resolve("")
		named, _ := Resolve(Go)
		fmt.Printf("answer: %q %q %v\n", own, named, err)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"":       `answer: "go" "go" <nil>`,
		"go":     `answer: "go" "go" <nil>`,
		"abacus": `answer: "abacus" "go" backend: DPLAB_BACKEND "abacus": must be one of go, `,
	} {
		child := exec.Command(program, "-test.run=^TestBackendOfTheEnvironment$")
		child.Env = append(os.Environ(), "DPLAB_TEST_CHILD=1", "DPLAB_TEST_BACKEND=", Variable+"="+value)
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%q: %v, %s; want %s", Variable, value, err, out, want)
		}
	}
}

// "auto" is the first that opens, and go where none does.
func TestFirstBackendThatOpens(t *testing.T) {
	fails := func() (compute.Backend, error) { return nil, errors.New("no such device") }
	works := func() (compute.Backend, error) { return gobackend.New("ops_sequential") }
	if err := errors.Join(Register("first-fails", fails), Register("second-works", works)); err != nil {
		t.Fatal(err)
	}
	if got := firstThatOpens("unknown", "first-fails", "second-works"); got != "second-works" {
		t.Errorf("it is %q, want the one that works", got)
	}
	if got := firstThatOpens("unknown", "first-fails"); got != Go {
		t.Errorf("it is %q where none opens, want go", got)
	}
}

// A process that may not use AVX-512 has other kernels, and says so.
func TestKernelsOfTheProcessor(t *testing.T) {
	if os.Getenv("DPLAB_TEST_CHILD") != "" { // the other side
		fmt.Printf("answer: %s\n", Kernels(Go))
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program, "-test.run=^TestKernelsOfTheProcessor$")
	child.Env = append(os.Environ(), "DPLAB_TEST_CHILD=1", "DPLAB_TEST_BACKEND=", "GODEBUG=cpu.avx512f=off")
	want := "answer: " + strings.Replace(Kernels(Go), "AVX-512", "AVX2", 1) + "\n"
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("without AVX-512: %v, %s; want %s", err, out, want)
	}
}
