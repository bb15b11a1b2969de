package streams

import (
	"crypto/aes"
	"encoding/binary"
	"slices"
	"testing"
)

// The words are those of one encryption for each counter, however they are asked for.
func TestWordsAreEncryptedCounters(t *testing.T) {
	root := Fixed("words")
	key := root.derive("words", "label")
	block, err := aes.NewCipher(key[:])
	if err != nil {
		t.Fatal(err)
	}
	var want []uint32
	for counter := range uint64(1000) {
		var in, out [aes.BlockSize]byte
		binary.BigEndian.PutUint64(in[8:], counter)
		block.Encrypt(out[:], in[:])
		for i := 0; i < len(out); i += 4 {
			want = append(want, binary.LittleEndian.Uint32(out[i:]))
		}
	}
	words, got := root.Words("label"), make([]uint32, len(want))
	for at, n := 0, 1; at < len(got); at, n = at+n, 3*n { // pieces of 1, 3, 9, ...
		n = min(n, len(got)-at)
		words.Fill(got[at : at+n])
	}
	if !slices.Equal(got, want) {
		t.Error("words differ from AES-256 of 0, 1, 2, ...")
	}
}

func TestWordsOfOtherLabelsAndRandDiffer(t *testing.T) {
	first := func(root Root, label string) uint64 {
		var w [2]uint32
		root.Words(label).Fill(w[:])
		return uint64(w[1])<<32 | uint64(w[0])
	}
	root := Fixed("x")
	draws := []uint64{first(root, "a"), first(root, "b"), first(root.Child("a"), "a"), first(Fixed("y"), "a"), root.Rand("a").Uint64()}
	slices.Sort(draws)
	if len(slices.Compact(draws)) != 5 { // equal by chance with 2^-60
		t.Errorf("first draws of different streams agree: %x", draws)
	}
}

func TestWordsOfTheZeroRootPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("words of the zero Root must panic")
		}
	}()
	Root{}.Words("a")
}

func BenchmarkWords(b *testing.B) {
	source, words := Fixed("x").Words("a"), make([]uint32, 1<<16)
	b.SetBytes(int64(4 * len(words)))
	for b.Loop() {
		source.Fill(words)
	}
}
