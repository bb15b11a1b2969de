package hidden

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dplab/dplab/audit"
)

// Order is what all bounds of package audit need of scores: which of them, from the least to the largest, are of members.
// 5,000 scores are 625 bytes. Equal scores stand in an order drawn at random, which leaves every bound valid.
type Order struct {
	Count int
	Bits  []byte // bit i%8 of byte i/8 is 1 if score i is of a member
}

// newOrder sorts scores.
func newOrder(scores audit.Scores, rng *rand.Rand) Order {
	type scored struct {
		score  float64
		member bool
	}
	var all []scored
	for _, s := range scores.Member {
		all = append(all, scored{s, true})
	}
	for _, s := range scores.NonMember {
		all = append(all, scored{s, false})
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	o := Order{Count: len(all), Bits: make([]byte, (len(all)+7)/8)}
	for i, s := range all {
		if s.member {
			o.Bits[i/8] |= 1 << (i % 8)
		}
	}
	return o
}

// Scores returns scores of that order: the places 0, 1, ....
func (o Order) Scores() audit.Scores {
	var s audit.Scores
	for i := range o.Count {
		if o.Bits[i/8]>>(i%8)&1 == 1 {
			s.Member = append(s.Member, float64(i))
		} else {
			s.NonMember = append(s.NonMember, float64(i))
		}
	}
	return s
}

// validate checks an order that was read against the number of games of each world.
func (o Order) validate(games int) error {
	members := 0
	for _, b := range o.Bits {
		members += bits.OnesCount8(b)
	}
	if o.Count != 2*games || len(o.Bits) != (o.Count+7)/8 || members != games {
		return fmt.Errorf("hidden: an order of %d scores, %d of members, in %d bytes: must be of %d games of each world", o.Count, members, len(o.Bits), games)
	}
	return nil
}
