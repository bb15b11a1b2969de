package record

import (
	"math"
	"slices"
)

// draws are the noises of a run in units of their declared standard deviations. They should be
// independent standard normals.
type draws struct {
	z       []float64 // of all queries, one after the other
	queries []Query
}

// draws returns the noises of the run. It returns none if any is not finite; that is reported
// elsewhere.
func (s *Session) draws() draws {
	d := draws{queries: s.queries}
	for _, q := range s.queries {
		for i, v := range q.Released {
			d.z = append(d.z, (v-q.Value[i])/q.NoiseStdDev)
		}
	}
	for _, z := range d.z {
		if square := z * z; math.IsNaN(square) || math.IsInf(square, 0) {
			return draws{}
		}
	}
	return d
}

// group is the noises of all queries of one name and size.
type group struct {
	name string
	size int
	rows [][]float64 // of each query
}

// groups returns the groups of the draws, in the order of their first queries.
func (d draws) groups() []group {
	var list []group
	z := d.z
	for _, q := range d.queries {
		row := z[:len(q.Released)]
		if z = z[len(row):]; len(row) == 0 {
			continue
		}
		at := slices.IndexFunc(list, func(g group) bool { return g.name == q.Name && g.size == len(row) })
		if at < 0 {
			at, list = len(list), append(list, group{name: q.Name, size: len(row)})
		}
		list[at].rows = append(list[at].rows, row)
	}
	return list
}

// noiseTests are the families of tests of a run's noise. Each has the same share of the
// run's level.
var noiseTests = []func(d draws, level float64) family{allMoments, queryMoments, coordinateMoments, pairs, lags, distance, tailCounts}

// checkDrawnNoise tests the noise of all releases of a run.
func (s *Session) checkDrawnNoise() {
	d := s.draws()
	if len(d.z) == 0 {
		return
	}
	for _, test := range noiseTests {
		s.accuse(test(d, s.noiseLevel/float64(len(noiseTests))))
	}
}
