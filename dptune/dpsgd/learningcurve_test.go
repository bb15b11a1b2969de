package dpsgd

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// JSON keeps a curve. It has no NaN and no infinities: both come back as NaN.
func TestLearningCurveAsJSON(t *testing.T) {
	curve := LearningCurve{Steps: []int{5, 10}, Accuracy: [][]float64{{0.5, 1. / 3}, {0, 1}}, Loss: [][]float64{{1, math.Inf(1)}, {math.NaN(), 0}}}
	text, err := json.Marshal(curve)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Steps":[5,10],"Accuracy":[[0.5,0.3333333333333333],[0,1]],"Loss":[[1,null],[null,0]]}`; string(text) != want {
		t.Errorf("JSON %s, want %s", text, want)
	}
	var read LearningCurve
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(read.Loss[0][1]) || !math.IsNaN(read.Loss[1][0]) {
		t.Errorf("losses %v, want NaN for null", read.Loss)
	}
	if !reflect.DeepEqual(read.Accuracy, curve.Accuracy) || !reflect.DeepEqual(read.Steps, curve.Steps) || read.Loss[1][1] != 0 {
		t.Errorf("read %v, want %v", read, curve)
	}
	var zero LearningCurve
	if text, err = json.Marshal(zero); err != nil || json.Unmarshal(text, &zero) != nil || !reflect.DeepEqual(zero, LearningCurve{}) {
		t.Errorf("the zero value as %s: %v", text, err)
	}
	if json.Unmarshal([]byte(`{"Steps":"x"}`), &zero) == nil {
		t.Error("a text was read as steps")
	}
}

func TestEvaluationAt(t *testing.T) {
	for every, want := range map[int][]int{1: {1, 2, 3, 4, 5}, 2: {2, 4, 5}, 5: {5}, 9: {5}, 0: {5}} {
		if got := (Evaluation{Every: every}).At(5); !reflect.DeepEqual(got, want) {
			t.Errorf("every %d of 5 steps: at %v, want %v", every, got, want)
		}
	}
}
