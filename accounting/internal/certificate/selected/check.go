package selected

// A Check returns an upper end of δ at ε, which may be larger than needed by the share slack of the
// δ of the question. It returns 1 if it proves nothing. work counts interval steps.
type Check func(epsilon, slack float64) (delta float64, work int)

// Raises has the shares that ε may rise until it is shown, each with its slack.
var Raises = []struct{ Share, Slack float64 }{{0, 6e-8}, {1e-9, 6e-8}, {1e-6, 1e-6}, {1e-5, 1e-5}, {mostRaised, 1e-4}}

// mostRaised is the largest share.
const mostRaised = 1e-4

// MostParts limits the work of one check.
const MostParts = 100_000
