package input

import (
	"math/big"
	"strconv"
)

// Setting is a run of DP-SGD in the numbers of a training script, with what follows from them.
// Fields that were not given are 0.
type Setting struct {
	Examples     float64 `json:"examples"`
	BatchSize    float64 `json:"expected_batch_size,omitempty"`
	Epochs       float64 `json:"epochs,omitempty"`
	SamplingRate float64 `json:"sampling_rate,omitempty"` // BatchSize / Examples
	Steps        int     `json:"steps,omitempty"`         // Epochs * Examples / BatchSize, rounded up
	Exact        float64 `json:"steps_before_rounding,omitempty"`
}

// Setting returns the setting. It is nil without -examples. It has a rate and steps if they follow
// from -batch and price the run, so for Poisson samples only.
func (s *SGD) Setting() *Setting {
	if !s.Examples.Given {
		return nil
	}
	t := Setting{Examples: s.Examples.Value, BatchSize: s.Batch.Value, Epochs: s.Epochs.Value}
	if !s.Batch.Given || s.Scheme() != Poisson {
		return &t
	}
	t.SamplingRate, t.Steps = s.SamplingRate(), s.StepCount()
	if s.Epochs.Given {
		t.Exact, _ = s.exactSteps().Float64()
	}
	return &t
}

// exactSteps returns epochs x examples / batch.
func (s *SGD) exactSteps() *big.Rat {
	steps := new(big.Rat).Mul(written(s.Epochs.Value), written(s.Examples.Value))
	return steps.Quo(steps, written(s.Batch.Value))
}

// written returns the decimal number that a flag gave. So 0.1 epochs are exactly a tenth.
func written(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64)) // x is finite
	return r
}

// roundedUp returns the least whole number that is not below x > 0.
func roundedUp(x *big.Rat) int {
	whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return int(whole.Int64())
}
