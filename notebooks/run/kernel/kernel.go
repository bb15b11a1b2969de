// Package kernel runs one GoNB kernel as a process and executes cells on it.
//
// A kernel leads a process group that holds everything it starts: the Go compiler, the compiled
// cells, shell commands. Stop and a canceled context end the whole group, so nothing goes on
// running. On Linux the kernel also ends when this program is killed.
//
// It promises nothing to other modules.
package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// Config describes how to start a kernel.
type Config struct {
	Command []string // program and arguments; the path of the connection file is appended
	Dir     string   // working folder of the cells
	Env     []string // see Environ
	Temp    string   // existing folder for all of the kernel's temporary files
	ID      string   // Jupyter's name of the kernel; empty without Jupyter
	Join    bool     // stay in this program's process group, instead of leading one
}

// Kernel is a running kernel.
type Kernel struct {
	*jupyter.Client
	Connection jupyter.Connection

	process *os.Process
	temp    string
	folder  string        // in which GoNB builds cells
	connect string        // connection file
	log     string        // what the process writes
	ended   chan struct{} // closed when the process has ended
	how     string        // how the process ended, once ended is closed
	stop    sync.Once
}

// Limits of time for a kernel.
const (
	startLimit = 60 * time.Second // from the start of the process to the first answer
	endLimit   = 2 * time.Second  // from the request to the end of the process
	tries      = 3                // starts, with new ports each, in case another program takes a port
)

// Start starts a kernel and returns when it answers.
func Start(ctx context.Context, config Config) (*Kernel, error) {
	var errs error
	for try := range tries {
		k, err := start(ctx, config, try)
		if err == nil {
			return k, nil
		}
		errs = err
		if ctx.Err() != nil || !errors.Is(err, errEnded) {
			break
		}
	}
	return nil, errs
}

// errEnded means that another try, with other ports, may succeed.
var errEnded = errors.New("the kernel ended, or does not listen at its ports")

func start(ctx context.Context, config Config, try int) (*Kernel, error) {
	conn, err := jupyter.NewConnection()
	if err != nil {
		return nil, err
	}
	k := &Kernel{
		Connection: conn,
		temp:       config.Temp,
		connect:    filepath.Join(config.Temp, fmt.Sprintf("kernel-%s.json", cmp.Or(config.ID, strconv.Itoa(try)))),
		log:        filepath.Join(config.Temp, fmt.Sprintf("kernel-%d.log", try)),
		ended:      make(chan struct{}),
	}
	if err := conn.WriteFile(k.connect); err != nil {
		return nil, err
	}
	defer os.Remove(k.connect) // by now it was read, or is not needed
	if err := k.spawn(config); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("no answer within %v", startLimit))
	defer cancel()
	ctx, end := k.endsContext(ctx)
	defer end()
	if k.Client, err = jupyter.Dial(ctx, conn); err == nil {
		err = k.Client.Ready(ctx)
	}
	if err != nil {
		// If a connection breaks off, the kernel is about to end, or another program has the port.
		ended := k.hasEnded() || k.Client == nil && ctx.Err() == nil
		k.Stop()
		if ended {
			err = fmt.Errorf("%w: %w", errEnded, err)
		}
		return nil, fmt.Errorf("kernel: %s did not start: %w%s", filepath.Base(config.Command[0]), err, k.logTail())
	}
	return k, nil
}

// spawn starts the process. Its goroutine keeps the thread that started the process. On Linux the
// kernel ends with that thread, so the thread must live as long as the kernel.
func (k *Kernel) spawn(config Config) error {
	log, err := os.OpenFile(k.log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("kernel: log file: %w", err)
	}
	cmd := exec.Command(config.Command[0], append(config.Command[1:len(config.Command):len(config.Command)], k.connect)...)
	cmd.Dir, cmd.Env = config.Dir, append(config.Env, "TMPDIR="+config.Temp)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = OwnGroup()
	if config.Join {
		cmd.SysProcAttr = SameGroup()
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // any end is unexpected
			k.how = cmd.ProcessState.String()
			KillGroup(cmd.Process.Pid) // the group that it led; none if it joined this program's
			close(k.ended)
		}
		log.Close()
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("kernel: cannot start %s: %w", config.Command[0], err)
	}
	k.process = cmd.Process
	return nil
}

// endsContext returns a context that is canceled when the process ends.
func (k *Kernel) endsContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-k.ended:
			cancel(errors.New(k.end()))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// end describes how the process has ended. A process that was killed has written nothing about it.
func (k *Kernel) end() string {
	if strings.HasPrefix(k.how, "signal: killed") {
		return "the kernel was killed from outside: if memory ran out, run fewer notebooks at a time (-jobs 1); else run it again"
	}
	return fmt.Sprintf("the kernel ended by itself (%s)%s", k.how, k.logTail())
}

// Ended is closed when the kernel's process has ended.
func (k *Kernel) Ended() <-chan struct{} { return k.ended }

func (k *Kernel) hasEnded() bool {
	select {
	case <-k.ended:
		return true
	default:
		return false
	}
}

// Run executes code, as jupyter.Client.Execute does. It also returns when the kernel's process
// ends.
func (k *Kernel) Run(ctx context.Context, code string, count bool, publish func(jupyter.Message)) (jupyter.Reply, error) {
	ctx, end := k.endsContext(ctx)
	defer end()
	return k.Client.Execute(ctx, code, count, publish)
}

// Interrupt makes the kernel interrupt the running cell, as the Stop button does. GoNB sends the
// cell SIGINT and kills it 5 seconds later.
func (k *Kernel) Interrupt() {
	if !k.hasEnded() {
		_ = k.process.Signal(os.Interrupt) // an ended process needs no interrupt
	}
}

// Stop ends the kernel and everything that it started, and returns when it has ended. It asks
// first, so GoNB can clean up, and kills the process group after a short time. Stop may be called
// more than once.
func (k *Kernel) Stop() {
	k.stop.Do(func() {
		if k.Client != nil && k.Client.Shutdown() == nil {
			select {
			case <-k.ended:
			case <-time.After(endLimit):
			}
		}
		k.kill()
		if k.Client != nil {
			k.Client.Close()
		}
	})
}

// Kill ends the kernel and everything that it started at once.
func (k *Kernel) Kill() {
	k.stop.Do(func() {
		k.kill()
		if k.Client != nil {
			k.Client.Close()
		}
	})
}

func (k *Kernel) kill() {
	if !k.hasEnded() {
		KillGroup(k.process.Pid)
		_ = k.process.Signal(syscall.SIGKILL)
	}
	<-k.ended
}

// logTail returns the last lines that the process wrote, for an error message.
func (k *Kernel) logTail() string {
	data, err := os.ReadFile(k.log)
	if err != nil || len(strings.TrimSpace(string(data))) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return "\n  " + strings.Join(lines[max(0, len(lines)-8):], "\n  ")
}

// poll is the time between two checks whether processes have ended.
const poll = 20 * time.Millisecond

// EndGroup ends the process group that pid leads and returns when none of its processes runs. It
// first sends SIGTERM, not Ctrl-C's signal, at which some programs ask back. It kills what is left
// after patience.
func EndGroup(pid int, patience time.Duration) {
	terminateGroup(pid)
	for deadline := time.Now().Add(patience); groupRuns(pid) && time.Now().Before(deadline); {
		time.Sleep(poll)
	}
	KillGroup(pid)
}
