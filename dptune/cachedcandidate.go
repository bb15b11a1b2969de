package dptune

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/dptune/streams"
)

// CachedCandidate is [CandidateFunc] that stores the outcome of every finished run in the folder
// dir. It makes the folder if it does not exist. After a stop, the same search runs only the
// others. Package json must read outputs and hyper-parameters as it wrote them.
//
// The same search draws the same runs if its root is the same, from streams.SecretFile, and its
// Identity is given. Files that are damaged, or of another root, event or hyper-parameter, are
// ignored. So a search with another law or prior runs all of its runs: see Search.Identity. A
// changed run function is not noticed, nor, with a fixed root, are changed data or laws: use
// another folder.
//
// The files reveal the number of runs and the losers' scores. They must stay secret, as must the
// root. Delete the folder when the release is out.
func CachedCandidate[H, O any](dir string, event accounting.Event, run RunFunc[H, O]) Candidate[H, O] {
	if run == nil {
		return CandidateFunc(event, run) // CandidateFunc refuses it
	}
	return CandidateFunc(event, func(ctx context.Context, h H, root streams.Root) (Outcome[O], error) {
		file, err := cacheFileOf(dir, event, h, root)
		if err != nil {
			return Outcome[O]{}, err
		}
		outcome, found, err := readOutcome[O](file)
		if found || err != nil {
			return outcome, err
		}
		if outcome, err = run(ctx, h, root); err != nil {
			return outcome, err
		}
		return outcome, writeOutcome(file, outcome)
	})
}

// cacheFile is where the outcome of a run is stored, and the key that authenticates the file.
type cacheFile struct {
	path string
	key  [32]byte
}

// cacheFileOf returns the file of a run. Its name reveals nothing to anyone without the root.
func cacheFileOf(dir string, event accounting.Event, h any, root streams.Root) (cacheFile, error) {
	if dir == "" {
		return cacheFile{}, errors.New("dptune: CachedCandidate: dir is empty: must be a folder")
	}
	text, err := json.Marshal([]any{fmt.Sprintf("%T", h), h, fmt.Sprint(event)})
	if err != nil {
		return cacheFile{}, fmt.Errorf("dptune: CachedCandidate: hyper-parameters: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cacheFile{}, fmt.Errorf("dptune: CachedCandidate: %w", err)
	}
	key := root.Key("kept outcome")
	return cacheFile{filepath.Join(dir, hex.EncodeToString(authenticated(key, text)[:16])+".run"), key}, nil
}

func authenticated(key [32]byte, text []byte) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write(text)
	return h.Sum(nil)
}

// stored is the content of a file after the 32 bytes that authenticate it. JSON has no NaN, which a
// score may be.
type stored[O any] struct {
	Score  uint64 // its bits
	Output O
}

// readOutcome returns the outcome that a file holds, if there is one and it is whole.
func readOutcome[O any](file cacheFile) (outcome Outcome[O], found bool, err error) {
	content, err := os.ReadFile(file.path)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome, false, nil
	}
	if err != nil {
		return outcome, false, fmt.Errorf("dptune: CachedCandidate: %w", err)
	}
	if len(content) < sha256.Size || !hmac.Equal(content[:sha256.Size], authenticated(file.key, content[sha256.Size:])) {
		return outcome, false, nil
	}
	var k stored[O]
	if err := json.Unmarshal(content[sha256.Size:], &k); err != nil {
		return outcome, false, fmt.Errorf("dptune: CachedCandidate: stored output: %w", err)
	}
	return Outcome[O]{Output: k.Output, Score: math.Float64frombits(k.Score)}, true, nil
}

// writeOutcome writes a file that is complete when it has its name. It returns an error for an
// output that JSON would change.
func writeOutcome[O any](file cacheFile, outcome Outcome[O]) error {
	text, err := json.Marshal(stored[O]{math.Float64bits(outcome.Score), outcome.Output})
	if err != nil {
		return fmt.Errorf("dptune: CachedCandidate: output: %w", err)
	}
	var back stored[O]
	if err := json.Unmarshal(text, &back); err != nil {
		return fmt.Errorf("dptune: CachedCandidate: output: %w", err)
	}
	if !reflect.DeepEqual(back.Output, outcome.Output) { // a field that is not exported, for instance
		return fmt.Errorf("dptune: CachedCandidate: output is a %T: must come back from package json as it was", outcome.Output)
	}
	out, err := os.CreateTemp(filepath.Dir(file.path), ".partial-")
	if err != nil {
		return fmt.Errorf("dptune: CachedCandidate: %w", err)
	}
	defer os.Remove(out.Name()) // does nothing after the renaming
	_, err = out.Write(append(authenticated(file.key, text), text...))
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), file.path)
	}
	if err != nil {
		return fmt.Errorf("dptune: CachedCandidate: %w", err)
	}
	return nil
}
