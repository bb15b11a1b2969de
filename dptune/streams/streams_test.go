package streams

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

func TestEqualLabelsGiveEqualStreams(t *testing.T) {
	a, b := Fixed("x").Child("c").Rand("s"), Fixed("x").Child("c").Rand("s")
	for range 100 {
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Fatalf("draws of one label differ: %d, %d", x, y)
		}
	}
}

// Each pair is one that a careless concatenation would confuse. 64-bit first draws of
// independent streams agree with chance 2^-64.
func TestDifferentPathsGiveDifferentStreams(t *testing.T) {
	root := Fixed("x")
	secret, err := Secret()
	if err != nil {
		t.Fatal(err)
	}
	draws := map[uint64]string{}
	for name, r := range map[string]uint64{
		"stream a":         root.Rand("a").Uint64(),
		"key a":            keyed(root.Key("a")),
		"key b":            keyed(root.Key("b")),
		"key as stream":    rand.New(rand.NewChaCha8(root.Key("a"))).Uint64(),
		"stream b":         root.Rand("b").Uint64(),
		"stream ab":        root.Rand("ab").Uint64(),
		"child a stream b": root.Child("a").Rand("b").Uint64(),
		"child ab, no b":   root.Child("ab").Rand("").Uint64(),
		"child a as label": root.Child("a").Rand("").Uint64(),
		"other root":       Fixed("y").Rand("a").Uint64(),
		"secret root":      secret.Rand("a").Uint64(),
	} {
		if other, ok := draws[r]; ok {
			t.Errorf("%s and %s give the same first draw", name, other)
		}
		draws[r] = name
	}
}

// keyed returns the beginning of a key.
func keyed(key [32]byte) uint64 { return binary.LittleEndian.Uint64(key[:]) }

func TestSeededTravelsToChildren(t *testing.T) {
	secret, err := Secret()
	if err != nil {
		t.Fatal(err)
	}
	if !Fixed("x").Child("a").Seeded() || secret.Child("a").Seeded() {
		t.Error("a child must be seeded exactly if its root is")
	}
}

func TestZeroRootIsRefused(t *testing.T) {
	if err := (Root{}).Validate(); !errors.Is(err, ErrNoRoot) {
		t.Errorf("Validate of the zero Root: %v, want ErrNoRoot", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("drawing from the zero Root must panic")
		}
	}()
	Root{}.Rand("a")
}

// A secret root gives each identity its own streams. A fixed root does not change.
func TestBoundRoots(t *testing.T) {
	secret, err := Secret()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Root]string{secret: "the root", secret.Child(""): "a child", secret.Child("a"): "a child"}
	for _, identity := range []string{"", "a", "b", "ab"} {
		bound := secret.Bound([]byte(identity))
		if what, ok := seen[bound]; ok {
			t.Errorf("identity %q has the key of %s", identity, what)
		}
		seen[bound] = "identity " + identity
		if bound != secret.Bound([]byte(identity)) || bound.Seeded() || bound.Validate() != nil {
			t.Errorf("identity %q: not the same valid secret root twice", identity)
		}
	}
	if other, err := Secret(); err != nil || other.Bound(nil) == secret.Bound(nil) {
		t.Errorf("two roots have one key for one identity, error %v", err)
	}
	if fixed := Fixed("x"); fixed.Bound([]byte("a")) != fixed {
		t.Error("a fixed root was changed")
	}
}
