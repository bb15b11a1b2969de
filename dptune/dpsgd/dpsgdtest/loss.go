package dpsgdtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dplab/dplab/dptune/dpsgd"
	"github.com/dplab/dplab/dptune/dpsgd/engine"
	"github.com/dplab/dplab/dptune/dpsgd/internal/program"
	"github.com/dplab/dplab/dptune/dpsgd/nn"
)

// Loss fails the test unless a loss keeps the contract for a number of classes. If it is an
// [nn.TargetLoss], it gets the targets that it draws.
//
//   - it passes [engine.CheckLoss] in both precisions;
//   - a linear model with it passes [Model], so Gradient is the gradient of Values;
//   - Values are finite for outputs of 1e4;
//   - predicted classes are in range, if it predicts any, and shares that are right in [0, 1].
func Loss(t testing.TB, loss nn.Loss, classes int) {
	t.Helper()
	for _, precision := range []engine.Precision{engine.Float64, engine.Float32} {
		if err := engine.CheckLoss(loss, classes, engine.Performance{Precision: precision}); err != nil {
			t.Errorf("in %s, %v", names[precision], err)
			return
		}
	}
	const width = 4
	linear := dpsgd.Model{Name: fmt.Sprint(loss), Input: []int{width}, Layers: []nn.Layer{nn.Dense(width, loss.Outputs(classes))}, Loss: loss}
	Model(t, linear, classes)
	s, err := newSetup(linear, classes)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	large := s.scaledWeights(1e4)
	values, err := engine.Losses(context.Background(), linear, large, s.data)
	if err != nil {
		t.Errorf("%v, with outputs of 1e4: %v", loss, err)
		return
	}
	for i, v := range values[0] {
		if math.Abs(v) > 1e10 {
			t.Errorf("%v, with outputs of 1e4: the loss of example %d is %g", loss, i, v)
		}
	}
	predicts(t, s, loss, classes)
}

// predicts checks the classes that a loss predicts, and the shares that are right. A loss of
// targets may have neither.
func predicts(t testing.TB, s setup, loss nn.Loss, classes int) {
	t.Helper()
	_, mayNot := loss.(nn.TargetLoss)
	predicted, err := engine.Predict(context.Background(), s.model, s.weights, s.data)
	if mayNot && errors.Is(err, program.ErrNotPredicted) {
		predicted, err = [][]int32{nil}, nil
	}
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	for i, class := range predicted[0] {
		if class < 0 || int(class) >= classes {
			t.Errorf("%v: example %d is predicted to be of class %d: must be in [0, %d)", loss, i, class, classes)
		}
	}
	right, err := engine.Right(context.Background(), s.model, s.weights, s.data)
	if mayNot && errors.Is(err, program.ErrNotPredicted) {
		return
	}
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	for i, share := range right[0] {
		if !(share >= 0 && share <= 1) {
			t.Errorf("%v: the share %g of example %d is right: must be in [0, 1]", loss, share, i)
		}
	}
}
