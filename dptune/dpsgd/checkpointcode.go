package dpsgd

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

// The form of a checkpoint file, numbers little-endian:
//
//	head, length of the header (uint64), header as JSON,
//	weights and slots in the run's precision, excluded and probes as float64,
//	HMAC-SHA256 of the SHA-256 of all that, SHA-256 of all that
//
// The SHA-256 tells of damage. The HMAC tells of changes by who does not have the roots, whose key
// it is made with; who knows the name of a fixed root can make it.
const checkpointHead = "dplab checkpoint\n"

// checkpointFormat is raised when that form changes.
const checkpointFormat = 2

// snapshotShape is what the sizes of a snapshot's arrays follow from.
type snapshotShape struct{ Replicas, Size, Slots, Probes, Steps int }

// checkpointHeader is what a file says about itself.
type checkpointHeader struct {
	Format   int
	Identity map[string]string // see store.identity
	Shape    snapshotShape
	First    int // replica of the chunk
	Step     int
}

// errDamaged is wrapped by what is wrong with a file that is not as it was written.
var errDamaged = errors.New("damaged")

// errForged is that of a file that is whole, and was not written with the key of the run.
var errForged = errors.New("was changed by who does not have the root: it must not be trusted")

// encode writes a snapshot in the form above, authenticated with a key.
func encode[T real](out io.Writer, key []byte, h checkpointHeader, shot snapshot[T]) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	hash := sha256.New()
	to := io.MultiWriter(out, hash)
	parts := []any{[]byte(checkpointHead), uint64(len(text)), text, shot.Weights}
	for _, slot := range shot.Slots {
		parts = append(parts, slot)
	}
	parts = append(parts, shot.Excluded)
	for _, steps := range shot.Probes {
		for _, products := range steps {
			parts = append(parts, products)
		}
	}
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

// decodeHeader reads a file, or the start of one, up to its arrays, which it returns. The
// error wraps errDamaged unless it is about the format.
func decodeHeader(file []byte) (h checkpointHeader, arrays *bytes.Reader, err error) {
	if !bytes.HasPrefix(file, []byte(checkpointHead)) {
		return h, nil, fmt.Errorf("%w: no checkpoint begins so", errDamaged)
	}
	arrays = bytes.NewReader(file[len(checkpointHead):])
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
	if h.Format != checkpointFormat {
		return h, nil, fmt.Errorf("has format %d: must have %d", h.Format, checkpointFormat)
	}
	return h, arrays, nil
}

// decode reads a whole file, if check approves of its header and the key of its arrays.
func decode[T real](file, key []byte, check func(checkpointHeader) error) (shot snapshot[T], err error) {
	file, sum := split(file)
	if found := sha256.Sum256(file); !bytes.Equal(found[:], sum) {
		return shot, fmt.Errorf("%w: it is %d bytes and their checksum is wrong", errDamaged, len(file)+len(sum))
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

// split returns a file without its last 32 bytes, and those.
func split(file []byte) (rest, last []byte) {
	end := max(0, len(file)-sha256.Size)
	return file[:end], file[end:]
}

// decodeArrays reads what follows the header, whose shape is known to be right.
func decodeArrays[T real](from *bytes.Reader, h checkpointHeader) (shot snapshot[T], err error) {
	var one T
	s := h.Shape
	want := binary.Size(one)*s.Replicas*s.Size*(1+s.Slots) + 8*s.Replicas*(1+h.Step*s.Probes)
	if from.Len() != want {
		return shot, fmt.Errorf("%w: %d bytes of arrays: must be %d", errDamaged, from.Len(), want)
	}
	shot.Step, shot.Weights, shot.Excluded = h.Step, make([]T, s.Replicas*s.Size), make([]float64, s.Replicas)
	parts := []any{shot.Weights}
	for range s.Slots {
		slot := make([]T, s.Replicas*s.Size)
		shot.Slots, parts = append(shot.Slots, slot), append(parts, slot)
	}
	parts = append(parts, shot.Excluded)
	for r := 0; r < s.Replicas && s.Probes > 0; r++ {
		shot.Probes = append(shot.Probes, make([][]float64, h.Step))
		for t := range shot.Probes[r] {
			shot.Probes[r][t] = make([]float64, s.Probes)
			parts = append(parts, shot.Probes[r][t])
		}
	}
	for _, part := range parts {
		if err := binary.Read(from, binary.LittleEndian, part); err != nil {
			return shot, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return shot, nil
}
