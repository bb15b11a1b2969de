package pld

import (
	"errors"
	"testing"

	"github.com/dplab/dplab/accounting"
)

// bounded is a Gaussian that claims, falsely, to have no loss above 1.
type bounded struct{ gaussianBase }

func (bounded) reach() float64 { return 1 }

// Ends that contradict each other are told of, and the upper end is the larger. Here ε is 4.377.
func TestContradiction(t *testing.T) {
	p := program{mechanisms: []mechanism{{base: bounded{gaussianBase{1}}, rate: 1, count: 1}}}
	epsilon, _, warning, _, err := Accountant{}.epsilon(p, 1e-5)
	if err != nil || !errors.Is(warning, ErrContradiction) || epsilon.Upper < 4.37 || epsilon.Lower > 1.01 {
		t.Errorf("ε %v, warning %v, %v: want an interval that holds both ends, and ErrContradiction", epsilon, warning, err)
	}
	p.mechanisms[0].base = gaussianBase{1}
	attacked := program{mechanisms: []mechanism{{base: gaussianBase{1}, rate: 1, count: 1, attacks: []mechanism{{base: gaussianBase{0.5}, rate: 1, count: 1}}}}}
	// The attack has µ 2, so its ε is 9.997 by the closed form.
	if epsilon, _, warning, _, err := (Accountant{}).epsilon(attacked, 1e-5); err != nil || !errors.Is(warning, ErrContradiction) || epsilon.Upper < 9.98 || epsilon.Lower > 4.39 {
		t.Errorf("an attack above the upper end: ε %v, warning %v, %v: want an interval that holds both, and ErrContradiction", epsilon, warning, err)
	}
	if _, err := (Accountant{}).logDelta(attacked, 4.377); !errors.Is(err, ErrContradiction) {
		t.Errorf("an attack above the upper end of δ: %v, want ErrContradiction", err)
	}
	if _, _, warning, _, err := (Accountant{}).epsilon(p, 1e-5); err != nil || warning != nil {
		t.Errorf("a Gaussian: %v, %v: want no warning", warning, err)
	}
	if _, err := NewAccountant().LogDeltaAt(accounting.Laplace{NoiseMultiplier: 1}, 1); err != nil {
		t.Errorf("Laplace at ε = 1, its largest loss: %v, want no error", err)
	}
}
