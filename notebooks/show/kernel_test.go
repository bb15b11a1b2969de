//go:build unix

package show

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/dplab/dplab/accounting/chart"
	"github.com/dplab/dplab/notebooks/figures"
	"github.com/dplab/dplab/notebooks/papers"
)

func testChart() chart.Chart {
	return chart.Chart{Name: "chart", Title: "ε <of> δ", XLabel: "x", YLabel: "y", Curves: []chart.Curve{
		{Label: "η = 0", X: chart.Series{1, 2, 3}, Y: chart.Series{1.0 / 3, math.Inf(1), math.NaN()}}}}
}

func testComparison() figures.Comparison {
	return figures.Comparison{Name: "chart", Title: "Table <1>", Rows: []figures.ComparisonRow{
		{Quantity: "ε & δ", Ours: 1.0 / 3, Reference: 0.33, AbsErr: 0.005, Read: papers.Printed, Source: "Table 1"},
		{Quantity: "δ", Ours: 2, Reference: 1, AbsErr: 0.5, Read: papers.Printed, Source: "Table 1"}}}
}

// TestMain runs, when told to, what a cell would.
func TestMain(m *testing.M) {
	switch os.Getenv("SHOW_TEST_CELL") {
	case "":
		os.Exit(m.Run())
	case "show":
		Plot(testChart())
		Table(testComparison())
		Text("%d runs", 10)
		Markdown("**bold**")
		p := NewProgress("training", 3)
		p.Add(3)
		p.Done()
	case "live":
		live := NewLive()
		for step := range 1000 {
			c := testChart()
			c.Title = fmt.Sprint(step)
			live.Draw(c, nil)
		}
		live.Plot(testChart())
		live.Draw(chart.Chart{}, nil)
	case "live fails":
		NewLive().Draw(testChart(), errors.New("curves: runs: must be at least one"))
	case "interrupt":
		p := NewProgress("training", 40)
		p.Set(15, "")
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Signal(os.Interrupt)
		time.Sleep(5 * time.Minute) // the interrupt ends it
	case "fail":
		Check(errors.New("rdp: noise multiplier 0: must be > 0"))
	}
	os.Exit(0)
}

// runCell runs this test binary as a cell under a kernel that keeps what it is sent and answers the
// requests for synchronization, as GoNB does. It returns the messages and the exit code.
func runCell(t *testing.T, what string, env ...string) (sent []protocol.DisplayData, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	to, from := filepath.Join(dir, "to"), filepath.Join(dir, "from")
	for _, pipe := range []string{to, from} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The pipe from the cell ends when the cell and keep have: not before the cell has opened it, and
	// not before all is read.
	reader, err := os.OpenFile(to, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	keep, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	writer, err := os.OpenFile(from, os.O_RDWR, 0) // does not wait for the cell to open it
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		decoder, encoder := gob.NewDecoder(reader), gob.NewEncoder(writer)
		for {
			var d protocol.DisplayData
			if err := decoder.Decode(&d); err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("the kernel cannot read what the cell sent: %v", err)
				}
				return
			}
			if request, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
				_ = encoder.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: request.Value})
				continue
			}
			sent = append(sent, d)
		}
	}()
	cell := exec.Command(os.Args[0])
	cell.Env = append(os.Environ(), "SHOW_TEST_CELL="+what, protocol.GONB_PIPE_ENV+"="+to, protocol.GONB_PIPE_BACK_ENV+"="+from)
	cell.Env = append(cell.Env, env...)
	var errs bytes.Buffer
	cell.Stderr = &errs
	cell.Dir = dir
	runErr := cell.Run()
	if exit := new(exec.ExitError); runErr != nil && !errors.As(runErr, &exit) {
		t.Fatal(runErr)
	}
	keep.Close()
	<-done
	if left, _ := filepath.Glob(filepath.Join(dir, "dplab*")); len(left) > 0 {
		t.Errorf("a cell without %s wrote %v", ArtifactsEnv, left)
	}
	return sent, errs.String(), cell.ProcessState.ExitCode()
}

func TestCellShowsFiguresAndTables(t *testing.T) {
	sent, stderr, code := runCell(t, "show", ArtifactsEnv+"=")
	if code != 0 || stderr != "" || len(sent) < 5 {
		t.Fatalf("exit code %d, standard error %q, %d messages", code, stderr, len(sent))
	}
	var document struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		Width   string   `xml:"width,attr"`
	}
	if err := xml.Unmarshal([]byte(sent[0].Data[protocol.MIMEImageSVG].(string)), &document); err != nil || document.Width != "360pt" {
		t.Errorf("a figure of 480 CSS pixels is %q wide (%v)", document.Width, err)
	}
	var drawing chart.Chart
	if err := json.Unmarshal([]byte(sent[0].Data[figures.ChartMIME].(string)), &drawing); err != nil {
		t.Fatal(err)
	}
	if y := drawing.Curves[0].Y; y[0] != 0.333333333 || !math.IsInf(y[1], 1) || !math.IsNaN(y[2]) {
		t.Errorf("the figure's numbers arrive as %v, want nine digits, +Inf, NaN", y)
	}
	html := sent[1].Data[protocol.MIMETextHTML].(string)
	for _, want := range []string{"Table &lt;1&gt;", "ε &amp; δ", "0.3333", "0.33<", "differs", "Table 1"} {
		if !strings.Contains(html, want) {
			t.Errorf("the table has no %q:\n%s", want, html)
		}
	}
	var c figures.Comparison
	if err := json.Unmarshal([]byte(sent[1].Data[figures.TableMIME].(string)), &c); err != nil || c.Rows[0].Ours != 0.333333333 {
		t.Errorf("the table's numbers arrive as %v (%v)", c, err)
	}
	if sent[2].Data[protocol.MIMETextPlain] != "10 runs" || sent[3].Data[protocol.MIMETextMarkdown] != "**bold**" {
		t.Errorf("texts arrive as %v and %v", sent[2].Data, sent[3].Data)
	}
	last := sent[len(sent)-1]
	if last.Data[protocol.MIMETextPlain] != "training: 3 of 3 done." || last.DisplayID == "" || last.DisplayID != sent[4].DisplayID {
		t.Errorf("progress ends as %v with the id %q, and began with %q", last.Data, last.DisplayID, sent[4].DisplayID)
	}
}

// A live figure is one output. The first drawing and the last are shown, few between them, and none
// after the last. Only the last is saved.
func TestLiveFigure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	sent, stderr, code := runCell(t, "live", ArtifactsEnv+"="+dir)
	if code != 0 || stderr != "" || len(sent) < 2 || len(sent) > 20 {
		t.Fatalf("exit code %d, standard error %q, %d messages for 1,000 drawings: want 2 to 20", code, stderr, len(sent))
	}
	titles := []string{}
	for _, d := range sent {
		if d.DisplayID == "" || d.DisplayID != sent[0].DisplayID {
			t.Errorf("a drawing has the id %q, the first one %q", d.DisplayID, sent[0].DisplayID)
		}
		var c chart.Chart
		if err := json.Unmarshal([]byte(d.Data[figures.ChartMIME].(string)), &c); err != nil {
			t.Fatal(err)
		}
		titles = append(titles, c.Title)
	}
	if titles[0] != "0" || titles[len(titles)-1] != testChart().Title {
		t.Errorf("drawings %q, want the first, and at the end the one of Plot", titles)
	}
	list, err := figures.ReadManifest(dir)
	if err != nil || len(list) != 1 || list[0].Title != testChart().Title {
		t.Errorf("saved %v (%v), want the last figure", list, err)
	}
	if _, stderr, code := runCell(t, "live fails", ArtifactsEnv+"="); code != 1 || !strings.Contains(stderr, "error: curves: runs: must be at least one") {
		t.Errorf("an error: exit code %d, %q", code, stderr)
	}
}

// A minute of points that come at once is drawn about ten times, and ten hours fewer than thirty.
func TestLivePauses(t *testing.T) {
	for of, want := range map[time.Duration][2]int{time.Second: {2, 4}, time.Minute: {8, 14}, 10 * time.Hour: {20, 30}} {
		drawn := 0
		for now := time.Duration(0); now < of; now = pauseAfter(now) {
			drawn++
		}
		if drawn < want[0] || drawn > want[1] {
			t.Errorf("%v: drawn %d times, want %v", of, drawn, want)
		}
	}
}

func TestInterruptedCell(t *testing.T) {
	sent, _, code := runCell(t, "interrupt", ArtifactsEnv+"=")
	if code != 130 || len(sent) == 0 || sent[len(sent)-1].Data[protocol.MIMETextPlain] != "training: 15 of 40 done. Interrupted." {
		t.Errorf("exit code %d after %v", code, sent)
	}
}

func TestFailedCell(t *testing.T) {
	_, stderr, code := runCell(t, "fail")
	message, places, _ := strings.Cut(stderr, "\n\t")
	if code != 1 || message != "error: rdp: noise multiplier 0: must be > 0" || !strings.HasPrefix(places, "_testmain.go:") || strings.Count(places, "\n") != 1 {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}

func TestCellSavesArtifacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if _, stderr, code := runCell(t, "show", ArtifactsEnv+"="+dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	list, err := figures.ReadManifest(dir)
	if err != nil || len(list) != 4 {
		t.Fatalf("manifest %v (%v), want a figure, a comparison and two texts", list, err)
	}
	if list[1].Tally == nil || list[1].Tally.String() != "1 of 2 printed numbers agree" || list[2].Text != "10 runs" {
		t.Errorf("manifest %v", list)
	}
	if list[1].Name != "chart-comparison" {
		t.Errorf("the comparison beside the figure chart is saved as %q", list[1].Name)
	}
	for _, a := range list {
		for _, name := range a.Files {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if len(list[0].Files) != 5 {
		t.Errorf("the figure's files are %v, want png, svg, pdf, csv, json", list[0].Files)
	}
	if _, stderr, code := runCell(t, "show", ArtifactsEnv+"="+dir); code != 1 || !strings.Contains(stderr, `"chart"`) {
		t.Errorf("a second cell with a figure of the same name: exit code %d, %s", code, stderr)
	}
}
