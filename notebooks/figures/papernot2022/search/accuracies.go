package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/accounting/selection/law"
	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/notebooks/experiments/bank"
)

// accuracyFile is the name of the authors' file of accuracies, and its place beside the
// data folder.
const accuracyFile = "lr_acc.json"

// findAccuracies returns the accuracies behind Figure 7, sorted, and the file that they
// are from. Without an explicit path the file is looked for in ../reference beside the
// folder of DPLAB_DATA; that it is not there is no error then: nil.
func findAccuracies(explicit string) (accuracies []float64, path string, err error) {
	path = explicit
	if path == "" {
		dir, err := data.Dir("")
		if err != nil {
			return nil, "", nil
		}
		path = filepath.Join(dir, "..", "reference", accuracyFile)
	}
	raw, err := os.ReadFile(path)
	if explicit == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("papernot2022: Figure7Config.AccuracyFile: %w", err)
	}
	if accuracies, err = parseAccuracies(raw); err != nil {
		return nil, "", fmt.Errorf("papernot2022: %s: %w", path, err)
	}
	return accuracies, path, nil
}

// parseAccuracies reads a JSON object from learning rate to accuracy, and takes the
// learning rates that the figure uses: the last 400 of 1,000 from 1e-4 to 1 with equal ratios.
func parseAccuracies(raw []byte) ([]float64, error) {
	var byRate map[string]float64
	if err := json.Unmarshal(raw, &byRate); err != nil {
		return nil, err
	}
	const total, used = 1000, 400
	accuracyAt := map[int]float64{}
	for text, accuracy := range byRate {
		rate, err := check.Decimal(text)
		if err != nil || !(rate > 0) {
			return nil, fmt.Errorf("learning rate %q: must be a number > 0", text)
		}
		if !(accuracy >= 0 && accuracy <= 1) {
			return nil, fmt.Errorf("accuracy %g at learning rate %s: must be in [0, 1]", accuracy, text)
		}
		position := (math.Log10(rate) + 4) / 4 * (total - 1)
		if index := math.Round(position); math.Abs(position-index) < 1e-6 && index >= total-used && index < total {
			accuracyAt[int(index)] = accuracy
		}
	}
	if len(accuracyAt) != used {
		return nil, fmt.Errorf("has %d of the %d learning rates of the figure", len(accuracyAt), used)
	}
	out := make([]float64, 0, used)
	for _, accuracy := range accuracyAt {
		out = append(out, accuracy)
	}
	slices.Sort(out)
	return out, nil
}

// expectedBest returns the expected accuracy of the best of K runs that each draw one of the accuracies with equal chance; no
// run at all counts as 0. It is exact; the authors' script estimates it with 1,000 draws.
func expectedBest(runs law.Law, accuracies []float64) float64 {
	equal := make([]float64, len(accuracies))
	for i := range equal {
		equal[i] = 1
	}
	return floats.Dot(bank.Winner(runs.Distribution(), accuracies, equal), accuracies)
}
