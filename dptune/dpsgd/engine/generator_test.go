package engine_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/rdp"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
)

// Each generator makes other noise from one root. That of the backend is AES-256 without a device
// that has its own memory. A statement names a generator other than AES-256.
func TestGenerators(t *testing.T) {
	m, d := mlp(t, 6, 5, 3), blobs(40, 6, 3)
	const says = "noise made by ChaCha20 under a secret key is as good as random"
	run := func(g dpsgd.Generator) *engine.Results {
		plan := private().Plan()
		plan.Generator = g
		r := train(t, m, d, plan, engine.Performance{}, "generators")
		s := must(r.Model(0).Statement(1e-5, "one row", rdp.NewAccountant()))(t)
		if r.Generator == dpsgd.GeneratorOfBackend || strings.Contains(s.Full(), says) != (r.Generator == dpsgd.ChaCha20) {
			t.Errorf("of %v noise is made, and the statement is %s", r.Generator, s.Full())
		}
		return r
	}
	byDefault, aes, chacha := run(dpsgd.GeneratorOfBackend), run(dpsgd.AES256), run(dpsgd.ChaCha20)
	if byDefault.Generator != dpsgd.AES256 {
		t.Errorf("the default is %v, want AES-256", byDefault.Generator)
	}
	same(t, "AES-256 by default and by name", byDefault, aes)
	if reflect.DeepEqual(aes.Parameters, chacha.Parameters) {
		t.Error("ChaCha20 makes the noise of AES-256")
	}
	plan := private().Plan()
	plan.Generator = 3
	_, err := engine.NewReplicas(m, d, plan)
	checkError(t, err, []string{"Plan.Generator 3: must be GeneratorOfBackend, AES256 or ChaCha20"})
}
