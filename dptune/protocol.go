package dptune

import (
	"context"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// Protocol is a private tuning with hyper-parameters of type H and outputs of type O, whose release
// has details of type D. Each is a plain struct; zero means not given.
type Protocol[H, O, D any] interface {
	Priced

	// Run prices the protocol, draws from root, runs, and releases. A protocol that cannot be
	// priced does not touch the data. Take root from streams.Secret for a release. With an error
	// nothing is released.
	Run(ctx context.Context, root streams.Root) (Release[H, O, D], error)
}

// Priced is what a protocol reports before anything runs. None of it depends on the data.
type Priced interface {
	// Validate returns every fault, joined.
	Validate() error

	// Event returns the event of all of Run on the data: runs, scores, choice and last training.
	Event() (accounting.Event, error)

	// Price returns the cost of Event at the protocol's Delta. A part of Delta is set aside for
	// truncated noise.
	Price() (accounting.Price, error)

	// Statement returns the guarantee of a release, in words that may be quoted. That of a Release
	// is the same, with a warning if the draws were not secret.
	Statement() (accounting.Statement, error)
}

// The protocols. The tests compare README's table with this list, and each protocol passes them.
var (
	_ Protocol[int, int, NoDetails]                   = Search[int, int]{}
	_ Protocol[int, int, NoDetails]                   = FirstAbove[int, int]{}
	_ Protocol[int, int, TuneThenTrainDetails[int]]   = TuneThenTrain[int, int]{}
	_ Protocol[int, int, ThresholdSearchDetails[int]] = ThresholdSearch[int, int]{}
	_ Protocol[int, int, NoDetails]                   = ExponentialSearch[int, int]{}
)
