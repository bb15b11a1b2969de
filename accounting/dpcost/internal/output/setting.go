package output

import (
	"fmt"
	"io"
	"strconv"

	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/format"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/numeric"
)

// writeSetting writes the sampling rate and the steps that follow from a setting, and how.
func writeSetting(w io.Writer, s *input.Setting) {
	if s == nil || s.Steps == 0 {
		return
	}
	examples, batch := plain(s.Examples), plain(s.BatchSize)
	fmt.Fprintf(w, "sampling rate\t%s / %s = %s  (batch / examples)\n", batch, examples, numeric.Significant(s.SamplingRate, format.Digits, -1))
	if s.Epochs == 0 {
		return
	}
	steps := strconv.Itoa(s.Steps)
	if s.Exact != float64(s.Steps) {
		steps = fmt.Sprintf("%s, rounded up to %d steps", numeric.Significant(s.Exact, 9, -1), s.Steps)
	}
	fmt.Fprintf(w, "steps\t%s x %s / %s = %s  (epochs x examples / batch)\n", plain(s.Epochs), examples, batch, steps)
}

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// writeSolved writes the steps, or the rate, that were found for a target ε.
func writeSolved(w io.Writer, s *answer.Solved, t *input.Setting) {
	switch {
	case s == nil:
	case s.Steps == flags.MaxCount:
		fmt.Fprintf(w, "steps\t%d, the most that is searched\n", s.Steps)
	case s.Steps > 0 && t != nil && t.BatchSize > 0:
		fmt.Fprintf(w, "steps\t%d, the most; %s epochs\n", s.Steps, numeric.Significant(float64(s.Steps)*t.SamplingRate, format.Digits, -1))
	case s.Steps > 0:
		fmt.Fprintf(w, "steps\t%d, the most\n", s.Steps)
	case t != nil:
		fmt.Fprintf(w, "sampling rate\t%s, the largest; a mean batch of %s\n", numeric.Significant(s.SamplingRate, format.Digits, -1), plain(answer.BatchOf(s.SamplingRate, t.Examples)))
	default:
		fmt.Fprintf(w, "sampling rate\t%s, the largest\n", numeric.Significant(s.SamplingRate, format.Digits, -1))
	}
}
