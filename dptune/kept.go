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

// EachKept is [Each] with every run that has finished kept in a folder, which is made if it does not exist: the same search, taken up again
// after it was stopped, runs the others alone. Outputs and hyper-parameters must be what package json writes and reads
// again as it was.
//
// The same search draws the same runs if its root is the same, from streams.SecretFile, and its Identity is given. Of other roots,
// hyper-parameters and events nothing is taken, nor from a file that is damaged or that someone without the root wrote. A changed
// run function is not noticed, nor, with a fixed root, are changed data: take another folder.
//
// The files tell how many runs there are, and what those that lost came to. They must stay secret, as must the root, and are for nobody once
// the release is out: delete the folder then.
func EachKept[H, O any](dir string, event accounting.Event, run RunFunc[H, O]) Candidate[H, O] {
	if run == nil {
		return Each(event, run) // which refuses it
	}
	return Each(event, func(ctx context.Context, h H, root streams.Root) (Outcome[O], error) {
		file, err := keptFile(dir, event, h, root)
		if err != nil {
			return Outcome[O]{}, err
		}
		outcome, found, err := readKept[O](file)
		if found || err != nil {
			return outcome, err
		}
		if outcome, err = run(ctx, h, root); err != nil {
			return outcome, err
		}
		return outcome, writeKept(file, outcome)
	})
}

// keptName is where a run is kept, and the key that its file is authenticated with.
type keptName struct {
	path string
	key  [32]byte
}

// keptFile returns the file of a run. Only who has the root can tell which.
func keptFile(dir string, event accounting.Event, h any, root streams.Root) (keptName, error) {
	if dir == "" {
		return keptName{}, errors.New("dptune: EachKept: dir is empty: must be a folder")
	}
	text, err := json.Marshal([]any{fmt.Sprintf("%T", h), h, fmt.Sprint(event)})
	if err != nil {
		return keptName{}, fmt.Errorf("dptune: EachKept: hyper-parameters: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return keptName{}, fmt.Errorf("dptune: EachKept: %w", err)
	}
	key := root.Key("kept outcome")
	return keptName{filepath.Join(dir, hex.EncodeToString(authenticated(key, text)[:16])+".run"), key}, nil
}

func authenticated(key [32]byte, text []byte) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write(text)
	return h.Sum(nil)
}

// kept is what a file holds after 32 bytes by which it is authenticated. The score may be NaN, which JSON has not.
type kept[O any] struct {
	Score  uint64 // its bits
	Output O
}

// readKept returns the outcome that a file holds, if there is one and it is whole.
func readKept[O any](file keptName) (outcome Outcome[O], found bool, err error) {
	content, err := os.ReadFile(file.path)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome, false, nil
	}
	if err != nil {
		return outcome, false, fmt.Errorf("dptune: EachKept: %w", err)
	}
	if len(content) < sha256.Size || !hmac.Equal(content[:sha256.Size], authenticated(file.key, content[sha256.Size:])) {
		return outcome, false, nil
	}
	var k kept[O]
	if err := json.Unmarshal(content[sha256.Size:], &k); err != nil {
		return outcome, false, fmt.Errorf("dptune: EachKept: the output of a run that was kept: %w", err)
	}
	return Outcome[O]{Output: k.Output, Score: math.Float64frombits(k.Score)}, true, nil
}

// writeKept writes a file that is whole when it has its name. An output that would not come back as it was is an error.
func writeKept[O any](file keptName, outcome Outcome[O]) error {
	text, err := json.Marshal(kept[O]{math.Float64bits(outcome.Score), outcome.Output})
	if err != nil {
		return fmt.Errorf("dptune: EachKept: the output of a run: %w", err)
	}
	var back kept[O]
	if err := json.Unmarshal(text, &back); err != nil {
		return fmt.Errorf("dptune: EachKept: the output of a run: %w", err)
	}
	if !reflect.DeepEqual(back.Output, outcome.Output) { // a field that is not exported, for instance
		return fmt.Errorf("dptune: EachKept: the output of a run: must be what package json reads as it wrote it, and is a %T", outcome.Output)
	}
	out, err := os.CreateTemp(filepath.Dir(file.path), ".partial-")
	if err != nil {
		return fmt.Errorf("dptune: EachKept: %w", err)
	}
	defer os.Remove(out.Name()) // which has another name in the end
	_, err = out.Write(append(authenticated(file.key, text), text...))
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), file.path)
	}
	if err != nil {
		return fmt.Errorf("dptune: EachKept: %w", err)
	}
	return nil
}
