package nn

import (
	"bytes"
	"testing"
)

// The models of a pair differ in one number each, and so in their hash.
func TestEveryNumberIsInTheHashOfTheModel(t *testing.T) {
	model := func(loss Loss, layers ...Layer) Model {
		return Model{Name: "m", Input: []int{2, 2, 1}, Layers: layers, Loss: loss}
	}
	dense := func(values ...float64) Layer { return Frozen(Dense(4, 1), append(values, 0, 0, 0, 0)) }
	inner := func(v float64) Layer {
		return Residual([]Layer{Frozen(Conv2DNoBias(1, 1, Square(1, 1, 0)), []float64{v})})
	}
	for name, pair := range map[string][2]Model{
		"frozen":                 {model(Hinge(), dense(1)), model(Hinge(), dense(2))},
		"frozen in residual":     {model(Hinge(), inner(1)), model(Hinge(), inner(2))},
		"frozen within a frozen": {model(Hinge(), Frozen(inner(1), nil)), model(Hinge(), Frozen(inner(2), nil))},
		"targets":                {model(SquaredError(1, 2)), model(SquaredError(1, 3))},
		"temperature":            {model(Hinge(), TemperedSigmoid(1, 2, 3)), model(Hinge(), TemperedSigmoid(1, 2.0000000000000004, 3))},
		"loss":                   {model(Hinge()), model(BinaryCrossEntropy())},
		"window":                 {model(Hinge(), AvgPool(Square(2, 1, 0))), model(Hinge(), AvgPool(Square(2, 2, 0)))},
		"groups":                 {model(Hinge(), GroupNorm(1, 2)), model(Hinge(), GroupNorm(2, 2))},
	} {
		if bytes.Equal(pair[0].hash(), pair[1].hash()) {
			t.Errorf("%s: models of different numbers have one hash", name)
		}
		if !bytes.Equal(pair[0].hash(), pair[0].hash()) {
			t.Errorf("%s: the hash changes from call to call", name)
		}
	}
}

// Models of the package's own layers and losses are told apart by their hash; those with code of
// the caller anywhere within are not.
func TestOwnModels(t *testing.T) {
	for _, l := range []Layer{
		Dense(2, 2), Conv2D(1, 1, Square(1, 1, 0)), Conv2DNoBias(1, 1, Square(1, 1, 0)), MaxPool(Square(1, 1, 0)), AvgPool(Square(1, 1, 0)),
		GlobalAvgPool(), GroupNorm(1, 1), Flatten(), ReLU(), Tanh(), Sigmoid(), TemperedSigmoid(1, 2, 3), EmbeddingMean(2, 2),
		Residual([]Layer{Tanh()}, Dense(1, 1)), Frozen(Dense(1, 1), []float64{1, 2}),
	} {
		if m := (Model{Layers: []Layer{l}, Loss: Hinge()}); !m.isOwn() {
			t.Errorf("%v is not taken for the package's own", l)
		}
	}
	for _, l := range []Loss{SoftmaxCrossEntropy(), BinaryCrossEntropy(), BinaryCrossEntropyEach(), Hinge(), SquaredError(1)} {
		if m := (Model{Layers: []Layer{Tanh()}, Loss: l}); !m.isOwn() {
			t.Errorf("%v is not taken for the package's own", l)
		}
	}
	code := Auto("f", nil, nil, nil)
	for _, l := range []Layer{code, Residual([]Layer{code}), Residual([]Layer{Tanh()}, code), Frozen(Residual([]Layer{code}), nil)} {
		if m := (Model{Layers: []Layer{Tanh(), l}, Loss: Hinge()}); m.isOwn() {
			t.Errorf("%v is taken for the package's own", l)
		}
	}
}
