package dpsgd

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
