package figures

import (
	"fmt"
	"math"
	"strings"
)

// Falls reports where curves that should not fall do so by more than their errors, as an accuracy
// over ε. A curve falls if Low at one X is above High at a larger X.
//
// The result is one sentence with the largest fall of each curve, or none. A point without Low and
// High, or with NaN, is left out. The quantity is what, as "test accuracy". X is along, and Low and
// High are errors, as "its error".
func Falls(what, along, errors string, curves ...Curve) []string {
	var said []string
	for _, k := range curves {
		from, to := largestFall(k)
		if from >= 0 {
			said = append(said, fmt.Sprintf("“%s” from %s at %s to %s at %s", k.Label,
				Format(Round(k.Y[from], 3), 0), Format(Round(k.X[from], 3), 0), Format(Round(k.Y[to], 3), 0), Format(Round(k.X[to], 3), 0)))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The %s falls as %s grows, by more than %s: %s.", what, along, errors, strings.Join(said, "; "))}
}

// largestFall returns the two points between which Low exceeds a later High by the most. Without a
// fall both are -1.
func largestFall(k Curve) (from, to int) {
	from, to = -1, -1
	most := 0.0
	for i := range k.Low {
		for j := range k.High {
			if gap := k.Low[i] - k.High[j]; k.X[i] < k.X[j] && gap > most && !math.IsInf(gap, 1) {
				from, to, most = i, j, gap
			}
		}
	}
	return from, to
}
