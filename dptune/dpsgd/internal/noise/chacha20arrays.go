package noise

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// blockState is a block function on sixteen arrays [R, blocks], one for each word of a block. Every
// operation works on the same place of all arrays, so XLA can keep a block in registers.
type blockState [blockWords]*graph.Node

// chachaOnArrays is ChaCha20 on sixteen arrays, from keys [R, 8, 1]. unrolled makes one sequence of
// all rounds; otherwise a loop has two rounds in each turn.
func chachaOnArrays(keys *graph.Node, n int, unrolled bool) *graph.Node {
	streams, blocks := keys.Shape().Dim(0), (n+blockWords-1)/blockWords
	start := firstArrays(keys, blocks)
	end := start
	if unrolled {
		for range rounds / 2 {
			end = end.twoRounds()
		}
	} else {
		end = start.loop()
	}
	var words []*graph.Node
	for i := range end {
		words = append(words, graph.Add(end[i], start[i]))
	}
	// Without the barrier, each place of the joined array would compute its block again.
	words = graph.OptimizationBarriers(words...)
	all := graph.Concatenate(words, 1)
	return graph.Slice(graph.Reshape(all, streams, blockWords*blocks), graph.AxisRange(), graph.AxisRange(0, n))
}

// firstArrays returns the initial state of the blocks of keys [R, 8, 1].
func firstArrays(keys *graph.Node, blocks int) (s blockState) {
	g, streams := keys.Graph(), keys.Shape().Dim(0)
	constant := func(v uint32) *graph.Node {
		return graph.BroadcastToDims(graph.Const(g, [][]uint32{{v}}), streams, blocks)
	}
	for i, v := range expand {
		s[i] = constant(v)
	}
	for i := range KeyWords {
		word := graph.Reshape(graph.Slice(keys, graph.AxisRange(), graph.AxisElem(i)), streams, 1)
		s[len(expand)+i] = graph.BroadcastToDims(word, streams, blocks)
	}
	s[len(expand)+KeyWords] = graph.Iota(g, shapes.Make(dtypes.Uint32, streams, blocks), 1)
	for i := len(expand) + KeyWords + 1; i < blockWords; i++ {
		s[i] = constant(0)
	}
	return s
}

// loop returns the state after all rounds, two in each turn. Like ChaCha20 it makes no scalars that
// GoMLX keeps, and must not be inside a loop.
func (s blockState) loop() (end blockState) {
	g := s[0].Graph()
	parameters := func(g *graph.Graph) (done *graph.Node, state blockState) {
		done = graph.Parameter(g, "", shapes.Make(dtypes.Int32))
		for i := range state {
			state[i] = graph.Parameter(g, "", s[i].Shape())
		}
		return done, state
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		done, _ := parameters(g)
		return []*graph.Node{graph.LessThan(done, graph.Const(g, int32(rounds/2)))}
	})
	next := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		done, state := parameters(g)
		state = state.twoRounds()
		return append([]*graph.Node{graph.Add(done, graph.Const(g, int32(1)))}, state[:]...)
	})
	out := graph.While(more, next, append([]*graph.Node{graph.Const(g, int32(0))}, s[:]...)...)
	copy(end[:], out[1:])
	return end
}

// twoRounds is one round on the columns and one on the diagonals, as in chachaBlock.
func (s blockState) twoRounds() blockState {
	for i := range rows {
		s.quarter(i, 4+i, 8+i, 12+i)
	}
	for i := range rows {
		s.quarter(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
	}
	return s
}

// quarter is quarterRound on four words of the state.
func (s *blockState) quarter(a, b, c, d int) {
	s[a] = graph.Add(s[a], s[b])
	s[d] = rotated(graph.BitwiseXor(s[d], s[a]), 16)
	s[c] = graph.Add(s[c], s[d])
	s[b] = rotated(graph.BitwiseXor(s[b], s[c]), 12)
	s[a] = graph.Add(s[a], s[b])
	s[d] = rotated(graph.BitwiseXor(s[d], s[a]), 8)
	s[c] = graph.Add(s[c], s[d])
	s[b] = rotated(graph.BitwiseXor(s[b], s[c]), 7)
}
