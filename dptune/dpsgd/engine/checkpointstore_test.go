package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/internal/checkpoint"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
	"github.com/dplab/dplab/dptune/streams"
)

// fullDisk is a file that takes some bytes and then fails, as a full disk makes it.
type fullDisk struct {
	*os.File
	left *int
}

func (f fullDisk) Write(p []byte) (int, error) {
	if len(p) > *f.left {
		n, _ := f.File.Write(p[:*f.left])
		*f.left = 0
		return n, syscall.ENOSPC
	}
	*f.left -= len(p)
	return f.File.Write(p)
}

// If the disk fills up during any of the writes, the run ends as usual, with one warning, which the
// next step's progress reports. The last good checkpoint stays, half-written files do not, and a
// run resumes from it.
func TestFullDiskKeepsTheLastGoodCheckpoint(t *testing.T) {
	d := data.Dataset{Name: "line", Shape: []int{1}, Classes: 2}
	for i := range 20 {
		d.Features, d.Labels = append(d.Features, float32(i)/10-1), append(d.Labels, int32(i/10))
	}
	m := dpsgd.Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Sampling: dpsgd.Poisson{Rate: 0.5}, Steps: 12, ExpectedBatchSize: 10, LearningRate: 1, Optimizer: dpsgd.SGD{Momentum: 0.5}}
	tr, err := NewReplicas(m, d, c.Plan()) // one for all runs: some backends compile slowly
	if err != nil {
		t.Fatal(err)
	}
	told := 0 // steps done when progress first told of a warning
	tr.plan.Progress = func(p dpsgd.Progress) {
		if p.Warning != nil && told == 0 {
			told = p.Step
		}
	}
	run := func(dir string, room int) *Results {
		t.Helper()
		told = 0
		tr.perf.Checkpoint = Checkpoint{}
		if dir != "" {
			tr.perf.Checkpoint = Checkpoint{Dir: dir, Every: 2}
		}
		tr.createFile = func(dir, prefix string) (checkpoint.File, error) {
			file, err := os.CreateTemp(dir, prefix)
			return fullDisk{file, &room}, err
		}
		result, err := tr.Run(t.Context(), streams.Fixed("full disk"))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	want := run("", 0)
	whole := t.TempDir()
	run(whole, 1<<30)
	files, err := filepath.Glob(filepath.Join(whole, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, error %v: want the last two checkpoints", files, err)
	}
	info, err := os.Stat(files[1])
	if err != nil {
		t.Fatal(err)
	}
	one := int(info.Size())
	for room, good := range map[int]int{0: 0, 5: 0, one + one/2: 1, 2*one + 10: 2, 4*one - 20: 3} {
		dir := t.TempDir()
		got := run(dir, room)
		if !reflect.DeepEqual(got.Parameters, want.Parameters) {
			t.Errorf("room for %d bytes: the run differs", room)
		}
		first := 2 * (good + 1)
		text := fmt.Sprintf("checkpoint after step %d not written", first)
		if len(got.Warnings) != 1 || !errors.Is(got.Warnings[0], syscall.ENOSPC) || !strings.Contains(got.Warnings[0].Error(), text) || !strings.Contains(got.Warnings[0].Error(), fmt.Sprintf("(and %d more)", 5-good)) {
			t.Errorf("room for %d bytes: warnings %v, want one of %d that names the full disk and step %d", room, got.Warnings, 6-good, first)
		}
		if told <= first || told > first+2 { // after the next step, or the next call of two
			t.Errorf("room for %d bytes: progress told of it at step %d, want the one after %d", room, told, first)
		}
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(left) != min(good, 2) {
			t.Errorf("room for %d bytes: files %q, want the last %d good ones", room, left, min(good, 2))
		}
		again := run(dir, 1<<30)
		if !reflect.DeepEqual(again.Parameters, want.Parameters) || len(again.Warnings) > 0 {
			t.Errorf("room for %d bytes: the resumed run differs, or warns %v", room, again.Warnings)
		}
	}
}

// Gradients that are not finite are counted beyond 2^24, where float32 has no odd numbers.
func TestExcludedCountsBeyondFloat32(t *testing.T) {
	d := data.Dataset{Name: "huge", Shape: []int{1}, Classes: 2, Features: []float32{3e38}, Labels: []int32{1}}
	m := dpsgd.Model{Name: "line", Input: []int{1}, Layers: []nn.Layer{nn.Dense(1, 2)}, Loss: nn.SoftmaxCrossEntropy()}
	c := dpsgd.Config{ClipNorm: 1, NoiseMultiplier: 1, Steps: 2, ExpectedBatchSize: 1, LearningRate: 1, Sampling: dpsgd.FullBatch{}}
	dir := t.TempDir()
	tr, err := NewReplicas(m, d, c.Plan(), Performance{Checkpoint: Checkpoint{Dir: dir, Every: 1}})
	if err != nil {
		t.Fatal(err)
	}
	run := func() int {
		t.Helper()
		result, err := tr.Run(t.Context(), streams.Fixed("counts"))
		if err != nil {
			t.Fatal(err)
		}
		return result.Excluded[0]
	}
	if each := run(); each != 2 {
		t.Fatalf("%d of 2 gradients excluded: want both, or this test shows nothing", each)
	}
	s, _, err := tr.prepareRoots([]streams.Root{streams.Fixed("counts").Child("replica 0")})
	if err != nil {
		t.Fatal(err)
	}
	shape := checkpoint.Shape{Replicas: 1, Size: tr.size, Steps: 2, Slots: tr.plan.optimizer().Slots()}
	shot, found, err := checkpoint.Load[float32](s, 0, shape)
	if err != nil || !found || shot.Step != 2 || shot.Excluded[0] != 2 {
		t.Fatalf("snapshot %+v, found %v, error %v", shot, found, err)
	}
	shot.Step, shot.Excluded[0] = 1, 1<<24
	empty, err := filepath.Glob(filepath.Join(dir, "*.checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range empty {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkpoint.Write(s, 0, shape, shot); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != 1<<24+1 {
		t.Errorf("after %d, one more: %d", 1<<24, got)
	}
}
