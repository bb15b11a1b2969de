package leak

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/dptune/streams"
)

// line returns points on a line with their labels.
func line(xs []float32, labels []int32) data.Dataset {
	return data.Dataset{Name: "line", Features: xs, Shape: []int{1}, Labels: labels, Classes: 2}
}

// Two points at -1 and +1: the objective is w² + α max(0, 1-w) with b = 0, which is least
// at w = min(1, α/2).
func TestTrainSVMOnTwoPoints(t *testing.T) {
	d := line([]float32{-1, 1}, []int32{0, 1})
	for _, c := range []struct{ hinge, want float64 }{{0.01, 0.005}, {0.5, 0.25}, {1.9, 0.95}, {2, 1}, {100, 1}} {
		m, err := trainSVM(d, c.hinge)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.w[0]-c.want) > 1e-8 || math.Abs(m.b) > 1e-8 {
			t.Errorf("hinge %g: w = %g, b = %g: want %g, 0 (closed form)", c.hinge, m.w[0], m.b, c.want)
		}
	}
}

// A large hinge weight on separable points gives the widest margin: the closest points of
// the classes are 1 and 3, so that w = 1 and b = -2.
func TestTrainSVMFindsTheWidestMargin(t *testing.T) {
	m, err := trainSVM(line([]float32{-4, 0, 1, 3, 9}, []int32{0, 0, 0, 1, 1}), 1e4)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(m.w[0]-1) > 1e-6 || math.Abs(m.b+2) > 1e-6 {
		t.Errorf("w = %g, b = %g: want 1, -2", m.w[0], m.b)
	}
}

func objective(d data.Dataset, hinge float64, m svm) float64 {
	sum := 0.0
	for i, label := range d.Labels {
		sum += math.Max(0, 1-float64(2*label-1)*m.score(d.Row(i)))
	}
	return floats.Dot(m.w, m.w) + hinge*sum/float64(d.Len())
}

// The objective is convex: a point is its minimum if no small step in any direction lowers
// it. 500 random directions, on data with repeated points, at all weights.
func TestTrainSVMIsALocalMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, outliers := range []int{0, 8} {
		d, err := drawSVMData(streams.Fixed("svm test"), outliers)
		if err != nil {
			t.Fatal(err)
		}
		for _, hinge := range []float64{1e-3, 0.5, 8, 64, 1e4} {
			m, err := trainSVM(d, hinge)
			if err != nil {
				t.Fatal(err)
			}
			at := objective(d, hinge, m)
			for range 500 {
				step := math.Pow(10, -6*rng.Float64())
				near := svm{w: []float64{m.w[0] + step*rng.NormFloat64(), m.w[1] + step*rng.NormFloat64()}, b: m.b + step*rng.NormFloat64()}
				if got := objective(d, hinge, near); got < at-1e-8*math.Max(1, at) {
					t.Fatalf("%d outliers, hinge %g: objective %.12g at a step of %g, %.12g at the solution", outliers, hinge, got, step, at)
				}
			}
		}
	}
}

// With labels of one class only, the objective is 0 at w = 0.
func TestTrainSVMWithOneClass(t *testing.T) {
	for label, b := range map[int32]float64{0: -1, 1: 1} {
		m, err := trainSVM(line([]float32{1, 5}, []int32{label, label}), 3)
		if err != nil || m.w[0] != 0 || m.b != b {
			t.Errorf("label %d: w = %v, b = %g, error %v: want 0, %g", label, m.w, m.b, err, b)
		}
	}
}

// Descent at a small rate comes close to the exact minimum. Points around zero, so that b
// has no way to go.
func TestSGDApproachesTheMinimum(t *testing.T) {
	d := line([]float32{-3, -1, 0.5, -0.5, 1, 2}, []int32{0, 0, 0, 1, 1, 1})
	exact, err := trainSVM(d, 4)
	if err != nil {
		t.Fatal(err)
	}
	m := SGD{LearningRate: 1e-3, Passes: 5000}.train(d, 4, rand.New(rand.NewPCG(1, 2)))
	least, got := objective(d, 4, exact), objective(d, 4, m)
	if got < least-1e-9 || got > 1.01*least {
		t.Errorf("objective %g: want [1, 1.01] times the minimum %g", got, least)
	}
}

// BenchmarkTrainSVM times one exact solution on the figure's data with outliers.
func BenchmarkTrainSVM(b *testing.B) {
	d, err := drawSVMData(streams.Fixed("svm benchmark"), 8)
	if err != nil {
		b.Fatal(err)
	}
	for _, hinge := range []float64{0.5, 8, 64} {
		b.Run(fmt.Sprint(hinge), func(b *testing.B) {
			for b.Loop() {
				if _, err := trainSVM(d, hinge); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
