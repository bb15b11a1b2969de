//go:build planted

package dpsgd

import "github.com/dplab/dplab/dptune/dpsgd/internal/planted"

// Bug is a fault that Plant puts into the engine, for tests of audits. It exists only in builds
// with the tag "planted".
type Bug = planted.Bug

// The bugs.
const (
	NoBug              = planted.NoBug
	SilentLayer        = planted.SilentLayer
	SilentCoordinate   = planted.SilentCoordinate
	SharedNormals      = planted.SharedNormals
	StepIgnored        = planted.StepIgnored
	OneNoiseForAll     = planted.OneNoiseForAll
	RootIgnored        = planted.RootIgnored
	SignNoise          = planted.SignNoise
	UniformNoise       = planted.UniformNoise
	NoiseCutAt2        = planted.NoiseCutAt2
	NoiseCutAt3        = planted.NoiseCutAt3
	QuietLayer         = planted.QuietLayer
	TenPercentLess     = planted.TenPercentLess
	RootHalfNoise      = planted.RootHalfNoise
	HalfNoise          = planted.HalfNoise
	RateTooHigh        = planted.RateTooHigh
	DividedByBatch     = planted.DividedByBatch
	LastLayerUnclipped = planted.LastLayerUnclipped
	ClippedAtTwice     = planted.ClippedAtTwice
	ClippedByMean      = planted.ClippedByMean
	WeightsUnnoised    = planted.WeightsUnnoised
	PlacesKept         = planted.PlacesKept
	EqualSizes         = planted.EqualSizes
	TwoPlaces          = planted.TwoPlaces
	PlacesOfCutPeriod  = planted.PlacesOfCutPeriod
	PlacesEachStep     = planted.PlacesEachStep
	FirstKept          = planted.FirstKept
)

// Bugs returns all of them.
func Bugs() []Bug { return planted.Bugs() }

// Plant puts a bug into all trainers that are made afterwards. It replaces the bug of the last
// call. It must not be called while a trainer runs.
func Plant(bug Bug) { planted.Plant(bug) }
