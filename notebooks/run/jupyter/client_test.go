package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func dialFake(t *testing.T) (*fakeKernel, *Client) {
	t.Helper()
	f := startFake(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := Dial(ctx, f.conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return f, c
}

// texts collects the text of stream messages.
type texts struct {
	sync.Mutex
	all strings.Builder
}

func (x *texts) add(m Message) {
	var content struct{ Text string }
	if m.Header.Type == "stream" && json.Unmarshal(m.Content, &content) == nil {
		x.Lock()
		defer x.Unlock()
		x.all.WriteString(content.Text)
	}
}

func (x *texts) String() string {
	x.Lock()
	defer x.Unlock()
	return x.all.String()
}

func TestExecute(t *testing.T) {
	_, c := dialFake(t)
	var shown texts
	reply, err := c.Execute(t.Context(), "print", true, shown.add)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Status != "ok" || reply.ExecutionCount != 1 {
		t.Errorf("reply %+v, want ok with count 1", reply)
	}
	// Everything that was published before "idle" is there; what comes late still arrives.
	if got := shown.String(); !strings.HasPrefix(got, "one two three") {
		t.Errorf("shown %q, want the three chunks in order", got)
	}
	for deadline := time.Now().Add(time.Minute); shown.String() != "one two three late"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("shown %q, want the late output too", shown.String())
		}
	}
	if reply, err = c.Execute(t.Context(), "", false, shown.add); err != nil || reply.ExecutionCount != 1 {
		t.Errorf("reply %+v, %v: a request without history must leave the count at 1", reply, err)
	}
}

func TestExecuteError(t *testing.T) {
	_, c := dialFake(t)
	reply, err := c.Execute(t.Context(), "fail", true, func(Message) {})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Status != "error" || reply.ErrorValue != "no such thing" || len(reply.Traceback) != 2 {
		t.Errorf("reply %+v, want the kernel's error", reply)
	}
}

func TestForgedOutputIsDropped(t *testing.T) {
	_, c := dialFake(t)
	var shown texts
	if _, err := c.Execute(t.Context(), "forged", true, shown.add); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(shown.String(), "forged") {
		t.Errorf("shown %q: a message with another key's signature must be dropped", shown.String())
	}
}

func TestInterruptAndShutdown(t *testing.T) {
	f, c := dialFake(t)
	done := make(chan Reply, 1)
	go func() {
		reply, _ := c.Execute(context.Background(), "hang", true, func(Message) {})
		done <- reply
	}()
	if err := c.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case reply := <-done:
		if reply.ErrorValue != "interrupted" {
			t.Errorf("reply %+v, want the interrupt's", reply)
		}
	case <-time.After(time.Minute):
		t.Fatal("the interrupt did not arrive")
	}
	if err := c.Shutdown(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-f.shutdown:
	case <-time.After(time.Minute):
		t.Fatal("the shutdown did not arrive")
	}
}

func TestExecuteCanceled(t *testing.T) {
	_, c := dialFake(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Execute(ctx, "hang", true, func(Message) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	_ = c.Interrupt(t.Context()) // lets the fake end
}

func TestKernelDies(t *testing.T) {
	_, c := dialFake(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := c.Execute(ctx, "die", true, func(Message) {})
	if err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("error %v, want one about the lost connection", err)
	}
}

func TestDialNobody(t *testing.T) {
	conn, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, conn); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}

func TestConnection(t *testing.T) {
	a, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	if !net.ParseIP(a.IP).IsLoopback() {
		t.Errorf("address %s, want a loopback address", a.IP)
	}
	if len(a.Key) != 64 || a.Key == b.Key {
		t.Errorf("keys %q and %q, want two different ones of 32 bytes", a.Key, b.Key)
	}
	ports := map[int]bool{}
	for _, c := range []Connection{a, b} {
		for _, p := range []int{c.ShellPort, c.ControlPort, c.IOPubPort, c.StdinPort, c.HeartbeatPort} {
			ports[p] = true
		}
	}
	if len(ports) != 10 {
		t.Errorf("%d different ports for two kernels, want 10", len(ports))
	}
}

func TestConnectionFile(t *testing.T) {
	conn, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kernel.json")
	if err := conn.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600: the file holds the key", info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The field names are those of "Connection files" in the Jupyter client documentation.
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shell_port", "iopub_port", "stdin_port", "control_port", "hb_port", "ip", "key", "transport", "signature_scheme"} {
		if fields[name] == nil {
			t.Errorf("field %s is missing in %s", name, data)
		}
	}
	if err := conn.WriteFile(path); err == nil {
		t.Error("an existing file is overwritten: another kernel may be reading it")
	}
}
