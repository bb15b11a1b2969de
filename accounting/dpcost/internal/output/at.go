package output

import (
	"fmt"
	"io"

	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
)

// writeAt writes δ at an ε, the price of a person and the bounds on attacks, where they were asked
// for.
func writeAt(w io.Writer, r answer.Report) {
	if d := r.DeltaAt; d != nil {
		const narrow = 1e-4 // what a check may add, as a share of δ
		name, checked := fmt.Sprintf("delta at epsilon %g", d.Epsilon), d.Checked()
		if d.Delta.HasLower && d.Delta.Width() <= narrow*d.Delta.Upper {
			writeUpper(w, name, d.Delta, checked, true)
		} else {
			writeEnds(w, name, d.Delta, checked, nil)
		}
	}
	if p := r.Person; p != nil {
		fmt.Fprintf(w, "one person\tepsilon %s for %g records; %s\n", upper(float64(p.Epsilon), p.Certificate != nil), p.Records, p.Theorem)
	}
	if a := r.Attack; a != nil {
		writeEnds(w, fmt.Sprintf("TPR at FPR %g", a.FPR), a.TPR, a.Checked, nil)
		writeEnds(w, "mu of GDP", a.Mu, a.MuChecked, nil)
	}
}

// writeMeaning explains the bounds on attacks.
func writeMeaning(out io.Writer, a *answer.Attack) {
	if a == nil {
		return
	}
	fmt.Fprintf(out, `
TPR: the largest true positive rate of any test for one example, at that false positive rate, even if the test knows all other examples
mu: at false positive rates from %.6g to %.6g no test does better than on one Gaussian release with noise multiplier 1/mu
`, a.From, a.To)
}
