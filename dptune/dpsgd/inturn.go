package dpsgd

import (
	"fmt"
	"math"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// inTurn is a scheme of k groups that have their turns in order. The example at index i is in group
// i mod k, and step t is a turn of group t mod k.
type inTurn struct {
	scheme Sampling // of the k groups
	groups int      // k
	within Sampling // the scheme of one group's turns
	apart  bool     // each group draws from its own root, and counts its turns instead of steps
}

// event is that of ⌈T/k⌉ turns, the most that a group has. It is not valid if T or k is not
// positive.
func (s inTurn) event(release accounting.Event, steps int) accounting.Event {
	turns := 0
	if steps >= 1 && s.groups >= 1 {
		turns = (steps-1)/s.groups + 1
	}
	return s.within.Event(release, turns)
}

func (s inTurn) share() float64 { return s.within.Share() / float64(max(s.groups, 1)) }

// likelyBatch is that of the largest group.
func (s inTurn) likelyBatch(examples int) float64 {
	return s.within.LikelyBatch(int(math.Ceil(float64(examples) / float64(max(s.groups, 1)))))
}

// draw checks the scheme and the arguments of a draw. It returns the group of a step, and the root
// and the number of its draw.
func (s inTurn) draw(coins streams.Root, step, n int) (group int, of streams.Root, number int, err error) {
	if err := s.scheme.Validate(n); err != nil {
		return 0, of, 0, fmt.Errorf("dpsgd: %w", err)
	}
	if err := validateStep(step, n); err != nil {
		return 0, of, 0, err
	}
	if group = step % s.groups; s.apart {
		return group, coins.Child(fmt.Sprintf("group %d", group)), step / s.groups, nil
	}
	return group, coins, step, nil
}

func (s inTurn) batch(coins streams.Root, step, n int) ([]int32, error) {
	group, of, number, err := s.draw(coins, step, n)
	if err != nil {
		return nil, err
	}
	batch, err := s.within.Batch(of, number, max(0, n-group+s.groups-1)/s.groups)
	for i := range batch {
		batch[i] = int32(group) + batch[i]*int32(s.groups)
	}
	return batch, err
}

func (s inTurn) canaries(coins streams.Root, step, n, m int) (joined []int32, err error) {
	group, of, number, err := s.draw(coins, step, n+m)
	if err != nil {
		return nil, err
	}
	drawn, err := s.within.Canaries(of, number, n, m)
	for _, i := range drawn {
		if (n+int(i))%s.groups == group {
			joined = append(joined, i)
		}
	}
	return joined, err
}
