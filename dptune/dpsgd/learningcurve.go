package dpsgd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
)

// LearningCurve is the accuracy and mean loss of R models on the data of an [Evaluation], at S
// points. The zero value has no points.
//
// The accuracy is the share of examples whose label a model predicts, in [0, 1]. For an
// nn.TargetLoss it is the mean of its Right, or 0 if the loss knows no right and wrong. A loss is
// not finite if the model diverged. Package curves draws learning curves.
type LearningCurve struct {
	Steps    []int       // [S], the number of steps done at each point
	Accuracy [][]float64 // [R][S]
	Loss     [][]float64 // [R][S]
}

// Replica returns the curve of model r only, sharing its values. A curve without points is returned
// as it is. Otherwise it panics if r is out of range.
func (c LearningCurve) Replica(r int) LearningCurve {
	if len(c.Steps) == 0 {
		return c
	}
	c.Accuracy, c.Loss = c.Accuracy[r:r+1:r+1], c.Loss[r:r+1:r+1]
	return c
}

// curveJSON is the JSON form of a curve: numbers that are not finite are null.
type curveJSON struct {
	Steps          []int
	Accuracy, Loss [][]*float64
}

// MarshalJSON writes the curve. JSON has no NaN: a number that is not finite is written as null.
func (c LearningCurve) MarshalJSON() ([]byte, error) {
	return json.Marshal(curveJSON{c.Steps, withNulls(c.Accuracy), withNulls(c.Loss)})
}

// UnmarshalJSON reads what MarshalJSON writes. Null becomes NaN.
func (c *LearningCurve) UnmarshalJSON(text []byte) error {
	var read curveJSON
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("dpsgd: learning curve: %w", err)
	}
	*c = LearningCurve{read.Steps, withoutNulls(read.Accuracy), withoutNulls(read.Loss)}
	return nil
}

func withNulls(rows [][]float64) (list [][]*float64) {
	for _, row := range rows {
		pointers := make([]*float64, len(row))
		for i := range row {
			if !math.IsNaN(row[i]) && !math.IsInf(row[i], 0) {
				pointers[i] = &row[i]
			}
		}
		list = append(list, pointers)
	}
	return list
}

func withoutNulls(list [][]*float64) (rows [][]float64) {
	for _, pointers := range list {
		row := slices.Repeat([]float64{math.NaN()}, len(pointers))
		for i, p := range pointers {
			if p != nil {
				row[i] = *p
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Evaluation asks a run for a learning curve. While the models train, it measures their accuracy
// and mean loss on public data, after each Every steps and after the last one. The trained weights
// are the same, bit for bit, with and without it.
//
// Public means that the examples come from nobody whom the guarantee should protect, such as those
// of a published data set. The curve reveals them, and no ε accounts for that. Validation and test
// examples that were split from private data are private. For these, see dptune.PrivateAccuracy.
//
// The curve costs no ε: it is computed from the weights after some steps, and the event of a run
// covers the weights after every step.
type Evaluation struct {
	Data  data.Dataset // public labelled examples. Required.
	Every int          // steps between two points, at least 1. Required.

	// Progress is called with the curve so far, after each point of each group of replicas. A
	// replica that has not reached a point has NaN there. Calls do not overlap. Nil for none.
	Progress func(LearningCurve)

	// EqualAreOthers declares that examples of Data that equal a training example are other, public
	// records. Without it they are an error, because a metric on private data has no guarantee.
	EqualAreOthers bool

	// Declared is the reason why Data are public although they are a part of the same data set as the
	// training examples: "the digits are a published data set". Without it such a part is an error.
	// Statements quote it.
	Declared string
}

// Assumption returns what the evaluation assumes of its data, for a statement.
func (e Evaluation) Assumption() string {
	if e.Declared == "" {
		return publicEvaluation
	}
	return fmt.Sprintf("%s, as declared: %q", publicEvaluation, e.Declared)
}

// At returns the steps after which the models are measured, in a run of so many steps.
func (e Evaluation) At(steps int) (at []int) {
	for done := e.Every; e.Every > 0 && done < steps; done += e.Every {
		at = append(at, done)
	}
	return append(at, steps)
}

// validateFor returns every fault of the evaluation for a model, joined.
func (e Evaluation) validateFor(model Model) error {
	fault := check.In("dpsgd: ")
	fault.Count("Plan.Evaluate.Every", e.Every, 1)
	fault.That(e.Declared == "" || strings.TrimSpace(e.Declared) != "", "Plan.Evaluate.Declared", fmt.Sprintf("%q", e.Declared), "must give a reason, for instance \"a published table\"")
	switch err := e.Data.Validate(); {
	case err != nil:
		fault.Below("Plan.Evaluate.Data", err)
	case e.Data.Len() == 0:
		fault.Add(errors.New("dpsgd: Plan.Evaluate.Data is empty: must hold at least one example"))
	case model.Validate() == nil:
		if err := model.ValidateFor(e.Data.Shape, e.Data.Classes); err != nil {
			fault.Below("Plan.Evaluate.Data", err)
		} else {
			fault.Below("Plan.Evaluate.Data", model.ValidateRows(e.Data))
		}
	}
	return fault.Err()
}

// ValidatePublic returns an error if the data of the evaluation cannot be public. They must share
// no example with the private ones, unless EqualAreOthers is set. They must not be a part of the
// same data set (data.PartsOfOne), unless Declared has a reason. name is the caller's field with
// the evaluation. Like every error about data, it reveals records. Show it only to their holder.
//
// Data sets that are not valid are left to their own Validate.
func (e Evaluation) ValidatePublic(name string, private data.Dataset) error {
	if e.Data.Validate() != nil || private.Validate() != nil {
		return nil
	}
	const declare = "must be other, public data (or, of a data set that is public, say why in Declared)"
	if by := data.SplitBy(private, e.Data); by != "" && e.Declared == "" {
		return fmt.Errorf("%s.Data is a part of the same data set as the private examples, by data.%s: %s", name, by, declare)
	}
	if !e.EqualAreOthers {
		if shared := data.Overlap(e.Data, private); len(shared) > 0 {
			return fmt.Errorf("%s.Data has %d of %d examples in common with the private ones, such as row %d: must be other, public data (or set EqualAreOthers)",
				name, len(shared), e.Data.Len(), shared[0])
		}
	}
	if data.PartsOfOne(private, e.Data) && e.Declared == "" {
		return fmt.Errorf("%s.Data and the private examples are parts of one data set (see data.PartsOfOne): %s", name, declare)
	}
	return nil
}
