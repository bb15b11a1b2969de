package noise

import (
	"encoding/binary"
	"math/bits"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Words of ChaCha20 (RFC 8439, section 2.3) under a key of 256 bits that no other stream has, with
// nonce 0 and blocks counted from 0. A stream of n words has ⌈n/16⌉ blocks: first the first words
// of all blocks, then all second words, and so on. On a device each operation then works on a whole
// row of words.

const (
	blockWords = 16 // words of a block
	KeyWords   = 8  // words of a key
	rounds     = 20 // of a block, in turns on columns and on diagonals
	rows       = 4  // of a block, each of four words
)

// expand is the constant at the start of a block: "expand 32-byte k".
var expand = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

// keyWords returns a key as numbers, each of four bytes, the lowest first.
func keyWords(key [4 * KeyWords]byte) (words [KeyWords]uint32) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	return words
}

// fillChaCha20 writes the stream of a key.
func fillChaCha20(key [KeyWords]uint32, words []uint32) {
	blocks := (len(words) + blockWords - 1) / blockWords
	for b := range blocks {
		for i, word := range chachaBlock(key, uint32(b)) {
			if at := i*blocks + b; at < len(words) {
				words[at] = word
			}
		}
	}
}

// chachaBlock is the block function of RFC 8439, with nonce 0.
func chachaBlock(key [KeyWords]uint32, counter uint32) [blockWords]uint32 {
	var start [blockWords]uint32
	copy(start[:], expand[:])
	copy(start[len(expand):], key[:])
	start[len(expand)+KeyWords] = counter
	x := start
	for range rounds / 2 {
		for i := range rows {
			quarterRound(&x[i], &x[4+i], &x[8+i], &x[12+i])
		}
		for i := range rows {
			quarterRound(&x[i], &x[4+(i+1)%4], &x[8+(i+2)%4], &x[12+(i+3)%4])
		}
	}
	for i := range x {
		x[i] += start[i]
	}
	return x
}

func quarterRound(a, b, c, d *uint32) {
	*a += *b
	*d = bits.RotateLeft32(*d^*a, 16)
	*c += *d
	*b = bits.RotateLeft32(*b^*c, 12)
	*a += *b
	*d = bits.RotateLeft32(*d^*a, 8)
	*c += *d
	*b = bits.RotateLeft32(*b^*c, 7)
}

// Words returns the words of n normals in a graph: for keys [..., 8] the words of their streams,
// [..., 3, pairs].
func Words(keys *graph.Node, n int) *graph.Node {
	words := ChaCha20(keys, WordsPerPair*Pairs(n))
	dims := words.Shape().Dimensions
	return graph.Reshape(words, append(append([]int{}, dims[:len(dims)-1]...), WordsPerPair, Pairs(n))...)
}

// ChaCha20 returns the streams of keys [..., 8] in a graph: n words of each, [..., n]. The rounds
// are a loop with a constant count, which takes three times the memory of the words.
//
// It must not be inside a loop, because closures of GoMLX (v0.28.4) belong to the main function.
// GoMLX keeps scalars for a graph, and a later closure must not use them. So this function makes
// none.
func ChaCha20(keys *graph.Node, n int) *graph.Node {
	dims := keys.Shape().Dimensions
	lead := dims[:len(dims)-1]
	blocks := (n + blockWords - 1) / blockWords
	start := firstState(graph.Reshape(keys, -1, KeyWords, 1), blocks)
	g := keys.Graph()
	parameters := func(g *graph.Graph) (done, state *graph.Node) {
		return graph.Parameter(g, "", shapes.Make(dtypes.Int32)), graph.Parameter(g, "", start.Shape())
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		done, _ := parameters(g)
		return []*graph.Node{graph.LessThan(done, graph.Const(g, int32(rounds)))}
	})
	next := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		done, state := parameters(g)
		return []*graph.Node{graph.Add(done, graph.Const(g, int32(1))), round(state)}
	})
	end := graph.While(more, next, graph.Const(g, int32(0)), start)[1]
	all := graph.Reshape(graph.Add(end, start), -1, blockWords*blocks)
	return graph.Reshape(graph.Slice(all, graph.AxisRange(), graph.AxisRange(0, n)), append(append([]int{}, lead...), n)...)
}

// firstState returns the initial state of the blocks of keys [R, 8, 1], as [R, 16, blocks].
func firstState(keys *graph.Node, blocks int) *graph.Node {
	g, streams := keys.Graph(), keys.Shape().Dim(0)
	word := func(x *graph.Node, count int) *graph.Node { return graph.BroadcastToDims(x, streams, count, blocks) }
	fixed := graph.Reshape(graph.Const(g, expand[:]), 1, len(expand), 1)
	counter := graph.Iota(g, shapes.Make(dtypes.Uint32, 1, 1, blocks), 2)
	nonce := graph.Const(g, [][][]uint32{{{0}}})
	return graph.Concatenate([]*graph.Node{
		word(fixed, len(expand)), word(keys, KeyWords), word(counter, 1), word(nonce, blockWords-len(expand)-KeyWords-1),
	}, 1)
}

// round is a round on the columns of states [R, 16, blocks]. Then it reorders each row: word j of
// row i becomes the former word i-j, modulo 4. So the columns become the diagonals, and after one
// more round the columns again, because i-(i-j) = j. All rounds are then one program.
func round(state *graph.Node) *graph.Node {
	row := func(i int) *graph.Node {
		return graph.Slice(state, graph.AxisRange(), graph.AxisRange(i*rows, (i+1)*rows))
	}
	a, b, c, d := row(0), row(1), row(2), row(3)
	a = graph.Add(a, b)
	d = rotated(graph.BitwiseXor(d, a), 16)
	c = graph.Add(c, d)
	b = rotated(graph.BitwiseXor(b, c), 12)
	a = graph.Add(a, b)
	d = rotated(graph.BitwiseXor(d, a), 8)
	c = graph.Add(c, d)
	b = rotated(graph.BitwiseXor(b, c), 7)
	var words []*graph.Node
	for i, row := range []*graph.Node{a, b, c, d} {
		for j := range rows {
			words = append(words, graph.Slice(row, graph.AxisRange(), graph.AxisElem((rows+i-j)%rows)))
		}
	}
	return graph.Concatenate(words, 1)
}

// rotated returns words with their bits rotated up by n places.
func rotated(x *graph.Node, n int) *graph.Node {
	places := func(n int) *graph.Node { return graph.Const(x.Graph(), uint32(n)) }
	return graph.BitwiseOr(graph.BitwiseShiftLeft(x, places(n)), graph.BitwiseShiftRightLogical(x, places(32-n)))
}
