package checkpoint

import (
	"errors"
	"strings"
	"testing"
)

// Files of another format are refused, and not taken for damaged ones.
func TestCheckpointOfAnotherFormat(t *testing.T) {
	var file strings.Builder
	if err := encode(&file, nil, header{Format: 1}, Snapshot[float32]{}); err != nil {
		t.Fatal(err)
	}
	_, err := decode[float32]([]byte(file.String()), nil, func(header) error { return nil })
	if err == nil || errors.Is(err, errDamaged) || !strings.Contains(err.Error(), "format 1: must have 2") {
		t.Errorf("error %v, want one that names the format", err)
	}
}

// No bytes make the decoder panic.
func FuzzCheckpointDecode(f *testing.F) {
	f.Add([]byte(head))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, _ = decode[float32](file, nil, func(h header) error {
			if h.Shape != (Shape{}) || h.Step != 0 {
				return errors.New("other")
			}
			return nil
		})
	})
}
