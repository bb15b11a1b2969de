package outputs

import (
	"encoding/json"
	"testing"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/nbformat"
)

func message(kind, content string) jupyter.Message {
	return jupyter.Message{Header: jupyter.Header{Type: kind}, Content: json.RawMessage(content)}
}

func stream(name, text string) jupyter.Message {
	data, _ := json.Marshal(map[string]string{"name": name, "text": text})
	return message("stream", string(data))
}

func text(t *testing.T, o nbformat.Output) string {
	t.Helper()
	if o.Type == nbformat.Stream {
		return o.Name + ":" + o.Text
	}
	s, _ := o.DataText("text/plain")
	return o.Type + ":" + s
}

func expect(t *testing.T, c *Collector, cell int, want ...string) {
	t.Helper()
	got := c.Outputs(cell)
	if len(got) != len(want) {
		t.Fatalf("cell %d has %d outputs %+v, want %q", cell, len(got), got, want)
	}
	for i, o := range got {
		if text(t, o) != want[i] {
			t.Errorf("cell %d, output %d is %q, want %q", cell, i, text(t, o), want[i])
		}
	}
}

func TestStreamsAreJoined(t *testing.T) {
	c := New()
	for _, m := range []jupyter.Message{stream("stdout", "a"), stream("stdout", "b\n"), stream("stderr", "x"),
		message("status", `{"execution_state":"busy"}`), message("execute_input", `{"code":"a"}`), stream("stderr", "y"), stream("stdout", "c")} {
		c.Add(0, m)
	}
	c.Add(1, stream("stdout", "d"))
	expect(t, c, 0, "stdout:ab\n", "stderr:xy", "stdout:c")
	expect(t, c, 1, "stdout:d")
	expect(t, c, 2)
}

func TestForget(t *testing.T) {
	c := New()
	show := message("display_data", `{"data":{"text/plain":"10 %"},"metadata":{},"transient":{"display_id":"bar"}}`)
	for _, m := range []jupyter.Message{stream("stdout", "a"), show, message("clear_output", `{"wait":true}`)} {
		c.Add(0, m)
	}
	c.Add(1, stream("stdout", "b"))
	c.Forget(0)
	expect(t, c, 0)
	expect(t, c, 1, "stdout:b")
	for _, m := range []jupyter.Message{stream("stdout", "c"), show, message("update_display_data", `{"data":{"text/plain":"20 %"},"metadata":{},"transient":{"display_id":"bar"}}`)} {
		c.Add(0, m)
	}
	expect(t, c, 0, "stdout:c", "display_data:20 %")
}

func TestUpdateDisplayData(t *testing.T) {
	c := New()
	c.Add(0, message("display_data", `{"data":{"text/plain":"10 %"},"metadata":{},"transient":{"display_id":"bar"}}`))
	c.Add(0, message("display_data", `{"data":{"text/plain":"other"},"metadata":{},"transient":{}}`))
	c.Add(1, message("display_data", `{"data":{"text/plain":"20 %"},"metadata":{},"transient":{"display_id":"bar"}}`))
	c.Add(1, message("update_display_data", `{"data":{"text/plain":"done"},"metadata":{},"transient":{"display_id":"bar"}}`))
	c.Add(1, message("update_display_data", `{"data":{"text/plain":"nobody"},"metadata":{},"transient":{"display_id":"none"}}`))
	expect(t, c, 0, "display_data:done", "display_data:other")
	expect(t, c, 1, "display_data:done")
}

func TestClearOutput(t *testing.T) {
	c := New()
	c.Add(0, message("display_data", `{"data":{"text/plain":"a"},"transient":{"display_id":"id"}}`))
	c.Add(0, message("clear_output", `{"wait":true}`))
	expect(t, c, 0, "display_data:a") // until something else comes
	c.Add(0, stream("stdout", "b"))
	expect(t, c, 0, "stdout:b")
	c.Add(0, message("update_display_data", `{"data":{"text/plain":"c"},"transient":{"display_id":"id"}}`))
	expect(t, c, 0, "stdout:b") // the display is gone
	c.Add(0, message("clear_output", `{"wait":false}`))
	expect(t, c, 0)
}

func TestErrorAndResult(t *testing.T) {
	c := New()
	c.Add(0, message("execute_result", `{"data":{"text/plain":"4"},"metadata":{},"execution_count":2}`))
	c.Add(0, message("error", `{"ename":"ERROR","evalue":"exit status 2","traceback":["a","b"]}`))
	got := c.Outputs(0)
	if len(got) != 2 || got[0].ExecutionCount != 2 || got[1].ErrorValue != "exit status 2" || len(got[1].Traceback) != 2 {
		t.Errorf("outputs %+v, want a result and an error", got)
	}
}

// Folders of this machine and the kernel's random name appear in no output, even cut into two
// chunks.
func TestPlacesAreReplaced(t *testing.T) {
	c := New("/tmp/run-17/smoke", "$TMPDIR")
	c.Add(0, stream("stderr", "at /tmp/run-1"))
	c.Add(0, stream("stderr", "7/smoke/gonb_0a1b2c3d/main.go:17 and gonb_0a1b2c3d4"))
	expect(t, c, 0, "stderr:at $TMPDIR/gonb_cell/main.go:17 and gonb_0a1b2c3d4")
	c.Add(1, message("display_data", `{"data":{"text/plain":"in /tmp/run-17/smoke","application/x+json":{"a":"/tmp/run-17/smoke"}}}`))
	expect(t, c, 1, "display_data:in $TMPDIR")
}
