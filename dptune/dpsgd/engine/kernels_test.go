package engine_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/streams"
)

// The same run on other kernels has independent noise from a secret root, since it may round
// otherwise: two noises σCz of P numbers are √(2P)σC apart on average. Below half of that the
// chance is that of a χ² of P = 53 degrees below 53/4, 2e-12. From a fixed root the noise is the
// same. A checkpoint of other kernels is refused, with the names of both.
func TestOtherKernelsAreAnotherRun(t *testing.T) {
	const name = "test-kernels"
	kernels := "AVX-512"
	if err := errors.Join(
		backend.Register(name, func() (compute.Backend, error) { return gobackend.New("ops_sequential") }),
		backend.SetKernels(name, func() string { return kernels }),
	); err != nil {
		t.Fatal(err)
	}
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	plan, perf := oneNoisyStep(m.Size()), engine.Performance{Backend: name, StepsPerCall: 1}
	root := must(streams.SecretFile(filepath.Join(t.TempDir(), "root")))(t)
	saved := perf
	saved.Checkpoint.Dir = t.TempDir()
	secret, fixed := noisySum(t, m, d, plan, saved, root), noisySum(t, m, d, plan, perf, streams.Fixed("x"))
	if again := noisySum(t, m, d, plan, perf, root); !slices.Equal(again, secret) {
		t.Error("the same run from the same secret root has other noise")
	}
	kernels = "AVX2"
	apart := math.Sqrt(2*float64(m.Size())) * plan.Replicas[0].NoiseStdDev()
	if off := distance(noisySum(t, m, d, plan, perf, root), secret); !(off > apart/2) {
		t.Errorf("on other kernels the noisy sums from one secret root are %g apart: want about %g", off, apart)
	}
	if again := noisySum(t, m, d, plan, perf, streams.Fixed("x")); !slices.Equal(again, fixed) {
		t.Error("on other kernels a fixed root has other noise")
	}
	saved.Precision = engine.Float64
	_, err := trainer(t, m, d, plan, saved).Run(t.Context(), root)
	checkError(t, err, []string{saved.Checkpoint.Dir, `must have the same kernels (those of the file are "AVX-512", those of this run "AVX2")`})
}
