package checkpoint

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// CodeVersion is raised by hand when a change of the engine or of its noise changes results.
// Checkpoints of another version are refused. From a secret root a run or a search then draws new
// numbers.
const CodeVersion = "11"

// A checkpoint file has this form, with little-endian numbers:
//
//	head, length of the header (uint64), header as JSON,
//	weights and slots in the run's precision; excluded, probes, learning curve and state as float64,
//	HMAC-SHA256 of the SHA-256 of all that, SHA-256 of all that
//
// The SHA-256 detects damage. The HMAC detects changes by anyone without the roots, which give its
// key. Anyone who knows the name of a fixed root can make it.
const head = "dplab checkpoint\n"

// format is raised when that form changes.
const format = 2

// real is the number type of a run.
type real interface{ float32 | float64 }

// Snapshot is the state of a group of R replicas of P weights after Step steps.
type Snapshot[T real] struct {
	Step     int
	Weights  []T           // R·P, row-major
	Slots    [][]T         // of the updater, each R·P
	Excluded []float64     // R
	Probes   [][][]float64 // [R][Step][K], or nil
	State    [][]float64   // [R][S], numbers of the caller's own steps, or nil

	// Accuracy and Loss are the points of the learning curve so far, [R][S], or nil. The last point
	// may be missing, if the run was stopped while it was measured.
	Accuracy, Loss [][]float64
}

// points returns the number of points of the learning curve.
func (s Snapshot[T]) points() int {
	if len(s.Accuracy) == 0 {
		return 0
	}
	return len(s.Accuracy[0])
}

// Shape determines the sizes of a snapshot's arrays: R, P, and the number of slots, probes and
// steps.
type Shape struct {
	Replicas, Size, Slots, Probes, Steps int

	State int `json:",omitempty"` // numbers that the caller's own steps keep for a replica
}

// header is the header of a file.
type header struct {
	Format   int
	Identity map[string]string // see Store
	Shape    Shape
	First    int // replica of the group
	Step     int
	Points   int `json:",omitempty"` // of the learning curve
}

// errDamaged is wrapped by errors about a file that has changed since it was written.
var errDamaged = errors.New("damaged")

// errForged is the error of an undamaged file that was not written with the key of the run.
var errForged = errors.New("was changed by someone without the root: do not trust it")

// arrays returns the arrays of a snapshot in the order of a file.
func (s Snapshot[T]) arrays() []any {
	list := []any{s.Weights}
	for _, slot := range s.Slots {
		list = append(list, slot)
	}
	list = append(list, s.Excluded)
	for _, steps := range s.Probes {
		for _, products := range steps {
			list = append(list, products)
		}
	}
	for r := range s.Accuracy {
		list = append(list, s.Accuracy[r], s.Loss[r])
	}
	for _, numbers := range s.State {
		list = append(list, numbers)
	}
	return list
}

// rows returns so many arrays of zeros, or nil if the width is 0.
func rows[V real](count, width int) (list [][]V) {
	for i := 0; i < count && width > 0; i++ {
		list = append(list, make([]V, width))
	}
	return list
}

// encode writes a snapshot in the form above, authenticated with a key.
func encode[T real](out io.Writer, key []byte, h header, shot Snapshot[T]) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	hash := sha256.New()
	to := io.MultiWriter(out, hash)
	parts := append([]any{[]byte(head), uint64(len(text)), text}, shot.arrays()...)
	for _, part := range parts {
		if err := binary.Write(to, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	if _, err = to.Write(keyed(key, string(hash.Sum(nil)))); err == nil {
		_, err = out.Write(hash.Sum(nil))
	}
	return err
}

// decodeHeader reads a file, or the start of one, up to its arrays. It returns a reader of the
// arrays. The error wraps errDamaged unless it is about the format.
func decodeHeader(file []byte) (h header, arrays *bytes.Reader, err error) {
	if !bytes.HasPrefix(file, []byte(head)) {
		return h, nil, fmt.Errorf("%w: does not begin like a checkpoint", errDamaged)
	}
	arrays = bytes.NewReader(file[len(head):])
	var length uint64
	if err := binary.Read(arrays, binary.LittleEndian, &length); err != nil || length > uint64(arrays.Len()) {
		return h, nil, fmt.Errorf("%w: no header", errDamaged)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(arrays, text); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if h.Format != format {
		return h, nil, fmt.Errorf("has format %d: must have %d", h.Format, format)
	}
	return h, arrays, nil
}

// decode reads a whole file, if check accepts its header and the key authenticates it.
func decode[T real](file, key []byte, check func(header) error) (shot Snapshot[T], err error) {
	file, sum := split(file)
	if found := sha256.Sum256(file); !bytes.Equal(found[:], sum) {
		return shot, fmt.Errorf("%w: the checksum of its %d bytes is wrong", errDamaged, len(file)+len(sum))
	}
	file, mac := split(file)
	h, arrays, err := decodeHeader(file)
	if err == nil {
		err = check(h)
	}
	if sum := sha256.Sum256(file); err == nil && !hmac.Equal(keyed(key, string(sum[:])), mac) {
		err = errForged
	}
	if err != nil {
		return shot, err
	}
	return decodeArrays[T](arrays, h)
}

// split returns a file without its last 32 bytes, and these bytes.
func split(file []byte) (rest, last []byte) {
	end := max(0, len(file)-sha256.Size)
	return file[:end], file[end:]
}

// decodeArrays reads the arrays after the header. The header's shape must be right.
func decodeArrays[T real](from *bytes.Reader, h header) (shot Snapshot[T], err error) {
	var one T
	s := h.Shape
	want := binary.Size(one)*s.Replicas*s.Size*(1+s.Slots) + 8*s.Replicas*(1+h.Step*s.Probes+2*h.Points+s.State)
	if from.Len() != want {
		return shot, fmt.Errorf("%w: %d bytes of arrays: must be %d", errDamaged, from.Len(), want)
	}
	shot = Snapshot[T]{
		Step: h.Step, Weights: make([]T, s.Replicas*s.Size), Slots: rows[T](s.Slots, s.Replicas*s.Size), Excluded: make([]float64, s.Replicas),
		Accuracy: rows[float64](s.Replicas, h.Points), Loss: rows[float64](s.Replicas, h.Points), State: rows[float64](s.Replicas, s.State),
	}
	for r := 0; r < s.Replicas && s.Probes > 0; r++ {
		shot.Probes = append(shot.Probes, rows[float64](h.Step, s.Probes))
	}
	for _, part := range shot.arrays() {
		if err := binary.Read(from, binary.LittleEndian, part); err != nil {
			return shot, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return shot, nil
}

func keyed(key []byte, message string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(message))
	return mac.Sum(nil)
}
