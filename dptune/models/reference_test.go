package models_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Values of testdata/reference.json are PyTorch's, see testdata/make_reference.py. Both
// sides compute in float64, in different orders: they agree to some 1e-15 in the median and
// to 1e-12 after layers that lose digits; a wrong constant (the ε of a normalization, the γ
// of automatic clipping) shows above 1e-6.
const agreement = 1e-10 // of a vector's norm

// reference is what testdata/reference.json holds.
type reference struct {
	Source                 string
	Models, Layers, Losses []referenceCase
}

// referenceCase is a model with its data and what is known of it for some sets of weights.
type referenceCase struct {
	Name     string
	Examples int
	Tensors  [][]int
	Replicas []referenceValues
}

// referenceValues are those at one set of weights.
type referenceValues struct {
	Norms      []float64 // of each example's gradient
	Clip, Loss float64
	Mean       digest  // gradient of the mean loss
	Flat       digest  // sums of clipped gradients
	Layer      *digest // nil where it was not computed
	Automatic  *digest

	// How far weights move in three steps, nil where it was not computed.
	Plain    *digest `json:"after plain"`
	Momentum *digest `json:"after momentum"`
	Adam     *digest `json:"after adam"`
	PerLayer *digest `json:"after layer"`
}

// digest is what is kept of a long vector.
type digest struct {
	Norm                  float64
	Coordinates, Products []float64
}

func readReference(t *testing.T) reference {
	t.Helper()
	var r reference
	text, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// words returns the whole numbers below 2^24 of a stream, as make_reference.py does.
func words(stream uint32, count int) []uint32 {
	list := make([]uint32, count)
	for i := range list {
		x := uint32(i)*2654435761 + stream*0x9E3779B9
		x = (x ^ x>>16) * 0x85EBCA6B
		x = (x ^ x>>13) * 0xC2B2AE35
		list[i] = (x ^ x>>16) >> 8
	}
	return list
}

// numbers returns multiples of 2^-23 in [-1, 1), which float32 holds exactly.
func numbers(stream uint32, count int) []float64 {
	list := make([]float64, count)
	for i, word := range words(stream, count) {
		list[i] = float64(word)/(1<<23) - 1
	}
	return list
}

// referenceWeights returns one set of weights for each of so many replicas.
func referenceWeights(m nn.Model, replicas int) dpsgd.Parameters {
	w := dpsgd.Parameters{Tensors: m.Tensors()}
	for r := range replicas {
		values := numbers(uint32(100+r), m.Size())
		w.Values = append(w.Values, values)
		at := 0
		for _, tensor := range w.Tensors {
			part := values[at : at+tensor.Size()]
			at += tensor.Size()
			for i, u := range part {
				switch name := tensor.Name; {
				case strings.HasSuffix(name, "weights"):
					part[i] = u * math.Sqrt(3/float64(tensor.Size()/tensor.Shape[0]))
				case strings.HasSuffix(name, "scale"):
					part[i] = 1 + 0.25*u
				case !strings.HasSuffix(name, "vectors"):
					part[i] = 0.25 * u
				}
			}
		}
	}
	return w
}

// referenceData returns examples in the shape that a model takes. tokens is 0 for numbers.
func referenceData(m nn.Model, examples, classes, tokens int) data.Dataset {
	d := data.Dataset{Name: "reference", Shape: m.Input, Classes: classes}
	width := 1
	for _, side := range m.Input {
		width *= side
	}
	if tokens > 0 {
		d.Features = referenceTokens(examples, width, tokens)
	} else {
		for _, u := range numbers(1, examples*width) {
			d.Features = append(d.Features, float32(u))
		}
	}
	for i := range examples {
		d.Labels = append(d.Labels, int32((i*i+i/2)%classes))
	}
	return d
}

// referenceTokens returns lists of tokens that repeat, each 20 shorter than the one before.
func referenceTokens(examples, length, vocabulary int) []float32 {
	var list []float32
	for i, word := range words(1, examples*length) {
		id, row, column := uint64(word)*uint64(vocabulary)>>24, i/length, i%length
		if column%2 == 1 {
			id %= 97
		}
		if column >= length-20*row {
			list = append(list, nn.TokenPadding)
		} else {
			list = append(list, float32(id))
		}
	}
	return list
}

// digestOf returns the digest of a vector.
func digestOf(v []float64) digest {
	var d digest
	for _, x := range v {
		d.Norm += x * x
	}
	d.Norm = math.Sqrt(d.Norm)
	for k := range 4 {
		d.Coordinates = append(d.Coordinates, v[(2*k+1)*len(v)/8])
	}
	for k := range uint32(3) {
		sum := 0.0
		for i, u := range numbers(900+k, len(v)) {
			sum += u * v[i]
		}
		d.Products = append(d.Products, sum)
	}
	return d
}

// checkDigest fails unless a vector has a digest. All parts are compared with the norm: an
// error of random direction and of relative length ε moves none of them by more than a few ε.
func checkDigest(t *testing.T, what string, got []float64, want *digest, relative float64) {
	t.Helper()
	d := digestOf(got)
	worst := math.Abs(d.Norm - want.Norm)
	for i := range want.Coordinates {
		worst = max(worst, math.Abs(d.Coordinates[i]-want.Coordinates[i]))
	}
	for i := range want.Products {
		worst = max(worst, math.Abs(d.Products[i]-want.Products[i]))
	}
	if !(worst <= relative*want.Norm) {
		t.Errorf("%s: off by %.2g of the norm, want at most %.0e\n got %+v\nwant %+v", what, worst/want.Norm, relative, d, *want)
	}
	t.Logf("%s: off by %.2g of the norm", what, worst/want.Norm)
}
