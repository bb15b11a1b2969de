package noise

import (
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

// The host's words are those of RFC 8439, and a wrong one is found.
func TestChaCha20OnTheHost(t *testing.T) {
	words := make([]uint32, len(vectors)*vectorBlocks*blockWords)
	for k, v := range vectors {
		fillChaCha20(keyWords(v.key), words[k*vectorBlocks*blockWords:][:vectorBlocks*blockWords])
	}
	if err := checkVectors(words); err != nil {
		t.Error(err)
	}
	words[5*vectorBlocks+vectors[0].block] ^= 1 << 31
	if err := checkVectors(words); err == nil || !strings.Contains(err.Error(), "word 5 of test vector 1") {
		t.Errorf("a wrong word: %v", err)
	}
}

// A stream is all first words of its blocks, then all second ones, up to its length; and each
// root and step has its own.
func TestStreamsOfChaCha20(t *testing.T) {
	seen := map[uint32]string{}
	for _, name := range []string{"a", "b"} {
		for step := range 3 {
			source := From(streams.Fixed(name))
			words := make([]uint32, 35) // of three blocks
			source.ChaCha20(step, words)
			for at, got := range words {
				if want := chachaBlock(source.Key(step), uint32(at%3))[at/3]; got != want {
					t.Fatalf("word %d is %#x, want %#x", at, got, want)
				}
				if where, twice := seen[got]; twice { // by chance once in 200,000
					t.Errorf("word %d of %s, step %d, is also in %s", at, name, step, where)
				}
				seen[got] = name
			}
		}
	}
}
