package input

import (
	"math"
	"strings"

	"github.com/dplab/dplab/accounting"
)

// The values of -batches.
const (
	Poisson      = "poisson"
	Shuffled     = "shuffled"
	Fixed        = "fixed"
	sampleOfSize = "fixed size" // only for a plan's sampled_without_replacement
)

// Batches describes how the batches of an answer are drawn. The price depends on it.
type Batches struct {
	Scheme    string     `json:"scheme"`
	Drawn     string     `json:"drawn"`
	Epochs    int        `json:"epochs,omitempty"`
	Neighbors []Neighbor `json:"neighbors,omitempty"` // the price under each relation
}

// Neighbor is the price of shuffled batches under one relation.
type Neighbor struct {
	Neighboring accounting.Neighboring `json:"neighboring"`
	Epsilon     accounting.Number      `json:"epsilon"`
	If          string                 `json:"if"`
}

// IsShuffled reports whether the batches are shuffled. Their prices are upper ends only, because
// shuffled batches do not reach the pair that is priced.
func (b *Batches) IsShuffled() bool { return b != nil && b.Scheme == Shuffled }

const (
	coins         = "each example joins each step by its own coin (Poisson)"
	sizes         = "each step draws a new sample of fixed size"
	otherwise     = "; for shuffled batches use -batches shuffled"
	otherwiseFile = "; shuffled batches cost more: dpcost sgd -batches shuffled"
)

// BatchesOf returns how the batches of a mechanism are drawn. It is nil if the mechanism does not
// sample. It reads the mechanism's text, because every event writes the events inside it, also one
// that this program does not know.
func BatchesOf(mechanism string) *Batches {
	var b Batches
	var schemes, texts []string
	if strings.Contains(mechanism, "PoissonSampled(") {
		schemes, texts = append(schemes, Poisson), append(texts, coins+otherwiseFile)
	}
	if strings.Contains(mechanism, "SampledWithoutReplacement(") {
		schemes, texts = append(schemes, sampleOfSize), append(texts, sizes)
	}
	if len(schemes) == 0 {
		return nil
	}
	b.Scheme, b.Drawn = strings.Join(schemes, " and "), strings.Join(texts, "; ")
	return &b
}

// epochsOf returns the largest number of times that a record takes part. rate is the batch size
// over the number of records. An epoch has 1/rate steps, rounded down in case the incomplete batch
// is dropped. The factor keeps 1/(1/49) at 49. Sizes are below 1e12, so no other quotient of them
// is as near to a whole number.
func epochsOf(rate float64, steps int) int {
	return int(max(1, math.Ceil(float64(steps)/max(1, math.Floor(1/rate*(1+1e-13))))))
}
