//go:build cgo && linux

package xla

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/dplab/dplab/dptune/dpsgd/internal/noise"
	"github.com/dplab/dplab/dptune/dpsgd/xla/programs"
)

const (
	probeVariable = "DPLAB_XLA_PROBE"        // path of the plugin, in a child
	probeOptions  = "DPLAB_XLA_PROBE_CONFIG" // go-xla's name for it
	probeAnswer   = "dplab xla probe: "      // begins the child's last line
	probeLimit    = 2 * time.Minute
)

// probeKeeping tests a plugin. If it dies, it is tested without keeping compiled programs, and then
// used without it.
func probeKeeping(path, config string) error {
	first := probe(path, config)
	if !errors.As(first, new(*exec.ExitError)) {
		return first
	}
	named, set := os.LookupEnv(programs.Variable)
	if err := os.Setenv(programs.Variable, "off"); err != nil {
		return errors.Join(first, err)
	}
	if probe(path, config) == nil {
		return nil
	}
	if !set {
		return errors.Join(first, os.Unsetenv(programs.Variable))
	}
	return errors.Join(first, os.Setenv(programs.Variable, named))
}

// probe loads the plugin and runs a tiny program in a child process.
func probe(path, config string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("xla: plugin %s cannot be tried out: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	child := exec.CommandContext(ctx, program)
	child.Env = append(os.Environ(), probeVariable+"="+path, probeOptions+"="+config)
	child.WaitDelay = time.Second
	output, err := child.Output()
	answer := ""
	if at := bytes.LastIndex(output, []byte(probeAnswer)); at >= 0 {
		answer = strings.TrimSpace(string(output[at+len(probeAnswer):]))
	}
	switch {
	case answer == "works" && err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("xla: plugin %s: a child process that tried it out did not end in %v", path, probeLimit)
	case answer != "" && answer != "works":
		return fmt.Errorf("xla: plugin %s: %s", path, answer)
	case err != nil:
		return fmt.Errorf("xla: plugin %s kills a process that loads it (%w%s): it is damaged, or no PJRT plugin", path, err, lastWords(err))
	default:
		return fmt.Errorf("xla: plugin %s: a child process that should try it out did not answer", path)
	}
}

// lastWords returns the signal that the runtime of a killed child named, such as SIGBUS.
func lastWords(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ""
	}
	if at := bytes.Index(exit.Stderr, []byte("SIG")); at >= 0 {
		signal, _, _ := bytes.Cut(exit.Stderr[at:], []byte(":"))
		return fmt.Sprintf(", %.20s", signal)
	}
	return ""
}

// probeIfAsked is the child's side of a probe. In a child it ends the process.
func probeIfAsked() {
	path := os.Getenv(probeVariable)
	if path == "" {
		return
	}
	answer := "works"
	if err := tryOut(path, os.Getenv(probeOptions)); err != nil {
		answer = strings.ReplaceAll(err.Error(), "\n", " ")
	}
	fmt.Println(probeAnswer + answer)
	os.Exit(0)
}

// tryOut loads the plugin, checks its version, and computes a product and the words of noise.
func tryOut(path, config string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := checkVersion(path); err != nil {
		return err
	}
	backend, err := loadKeeping(path, config)
	if err != nil {
		return err
	}
	for range 2 { // the second time with the program from a file, if programs are kept
		if err := checkProduct(backend); err != nil {
			return err
		}
	}
	return noise.CheckChaCha20(backend)
}

func checkProduct(backend compute.Backend) error {
	exec, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node {
		return graph.DotGeneral(x, []int{1}, nil, x, []int{1}, nil)
	})
	if err != nil {
		return err
	}
	out, err := exec.Call([][]float32{{1, 2}, {3, 4}})
	if err != nil {
		return err
	}
	product, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return err
	}
	if want := [4]float32{5, 11, 11, 25}; len(product) != 4 || [4]float32(product) != want {
		return errors.New("computes a wrong product")
	}
	return nil
}
