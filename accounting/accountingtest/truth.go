package accountingtest

import (
	"testing"

	"github.com/dplab/dplab/accounting"
)

const (
	contourSource   = "contour integral of the moment generating function, two contours in double precision and a third at 40 digits"
	closedForm      = "closed form, 40 digits"
	gaussianSource  = "dp_accounting 0.6.0 get_epsilon_gaussian (Balle and Wang 2018, Theorem 8)"
	truthError      = 2e-8 // relative or absolute, whichever is larger, of contourSource
	truthErrorPhase = 1e-6 // of the heterogeneous row, which was kept to 6 digits
)

// truths are values of ε for add-or-remove-one, the larger of both directions.
var truths = []struct {
	event    accounting.Event
	delta    float64
	epsilon  float64
	accuracy float64
	source   string
}{
	{gaussian(1), 1e-5, 4.377178095681137, 1e-9, gaussianSource},
	{gaussian(1), 1e-6, 4.886554117462159, 1e-9, gaussianSource},
	{gaussian(0.5), 1e-5, 9.997256146434315, 1e-9, gaussianSource},
	{gaussian(2), 1e-5, 1.9930914044151198, 1e-9, gaussianSource},
	{gaussian(4.530877117), 1e-6, 0.9273923379974423, 1e-9, gaussianSource},
	{gaussian(4), 1e-5, 0.9263415039982249, 1e-9, gaussianSource},
	{sgd(256./60000, 1.1, 14062), 1e-5, 2.381596921424382, truthError, contourSource},
	{sgd(0.01, 2, 5000), 1e-5, 1.4773769757585917, truthError, contourSource},
	{sgd(0.004, 0.5, 3000), 1e-5, 9.840289163534115, truthError, contourSource},
	{sgd(0.001, 1, 100000), 1e-6, 1.8610474589624115, truthError, contourSource},
	{sgd(1, 10, 1000), 1e-5, 17.856586830107616, 1e-9, closedForm},
	{sgd(0.0473, 0.51, 2000), 1e-5, 82.79607094250967, truthError, contourSource},
	{sgd(0.25, 0.5, 3000), 1e-5, 931.6720283094074, truthError, contourSource},
	{sgd(0.01, 1, 1000), 1e-12, 3.9142981560374714, truthError, contourSource},
	{sgd(0.0021, 3.3, 900), 1e-5, 0.058121799323890985, truthError, contourSource},
	{sgd(0.5, 5, 200), 1e-5, 6.70116925347086, truthError, contourSource},
	{sgd(0.012788340630066182, 2.5, 72000), 7.8e-7, 7.472499861759888, truthError, contourSource},
	{sgd(0.2, 0.6, 1), 1e-5, 5.753780238915109, truthError, closedForm},
	{accounting.Composed{Events: []accounting.Event{
		sgd(0.01, 1.5, 1000), sgd(0.02, 2.5, 2000), sgd(0.005, 0.9, 1500),
	}}, 1e-5, 2.231226, truthErrorPhase, contourSource},
}

func (c contract) truth(t *testing.T) {
	if c.accountant.Neighboring() != accounting.AddOrRemoveOne {
		t.Skipf("the known values are for %v", accounting.AddOrRemoveOne)
	}
	for i, truth := range truths {
		if testing.Short() && i%2 == 1 {
			continue
		}
		g, ok := c.epsilon(t, truth.event, truth.delta)
		if !ok {
			continue
		}
		margin := truth.accuracy * max(1, truth.epsilon)
		if g.Epsilon.Upper < truth.epsilon-margin {
			t.Errorf("ε(%v, δ=%g) <= %.12g: below the truth, %.12g; %s", truth.event, truth.delta, g.Epsilon.Upper, truth.epsilon, truth.source)
		}
		if g.Epsilon.HasLower && g.Epsilon.Lower > truth.epsilon+margin {
			t.Errorf("ε(%v, δ=%g) >= %.12g: above the truth, %.12g; %s", truth.event, truth.delta, g.Epsilon.Lower, truth.epsilon, truth.source)
		}
	}
}
