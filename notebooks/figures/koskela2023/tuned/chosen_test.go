package tuned

import (
	"math"
	"strings"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// Every stored experiment has a row for each level: less noise costs more, and no method costs less
// than one run. The chosen rates lie in the grid.
func TestChosen(t *testing.T) {
	r, err := Chosen()
	if err != nil {
		t.Fatal(err)
	}
	table := r.Table()
	if err := table.Validate(); err != nil {
		t.Error(err)
	}
	rows := 0
	for i, e := range r.all {
		name, rates := e.Config.Task, e.Bank.LearningRates
		for level := range e.Bank.Levels() {
			row := table.Rows[rows]
			rows++
			if !strings.HasPrefix(name, row[0]) || row[1] != e.noiseAt(level) {
				t.Errorf("%s, level %d: row %q", name, level, row)
			}
			one, noise := e.Methods[oneRun].Paper, e.Bank.Trainings[0].NoiseMultipliers
			for m, method := range e.Methods {
				if p := method.Paper; p[level] < one[level] || level > 0 && (p[level] < p[level-1]) != (noise[level] > noise[level-1]) {
					t.Errorf("%s, %s: ε %v, of one run %v", name, method.Name, p, one)
				}
				if s := method.Settings[level]; s.LearningRate < rates[0]*(1-1e-9) || s.LearningRate > rates[len(rates)-1]*(1+1e-9) {
					t.Errorf("%s, %s: η %g beyond the grid", name, methodNames[m], s.LearningRate)
				}
			}
		}
		if i > 0 {
			continue
		}
		// By hand, for the first: the mean of ln η over the choices of variant 2.
		stored, err := bank.Largest(compared[0][0].Experiment)
		if err != nil {
			t.Fatal(err)
		}
		chances := stored.Result.OnTestData().TuneThenTrain(law.Poisson{MeanRepeats: 15}, 0, bank.All).Chances
		sum, total := 0.0, 0.0
		for k, chance := range chances {
			sum, total = sum+chance*math.Log(rates[k]), total+chance
		}
		if got, want := e.Methods[variant2].Settings[0].LearningRate, math.Exp(sum/total); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: η %g, want %g", name, got, want)
		}
	}
	if rows != len(table.Rows) || len(r.all) != len(All()) {
		t.Errorf("%d experiments, %d rows, %d levels", len(r.all), len(table.Rows), rows)
	}
}
