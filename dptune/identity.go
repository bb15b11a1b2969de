package dptune

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
)

// bound returns an identity that a caller gave, with the protocol that it is for: the event, which
// has its law and its noise, and the settings that decide its draws or what they are compared with.
// Nil stays nil.
//
// The caller's identity is of the data and the code. If only that decided the draws, the same run
// would be in searches of 3, of 6 and of 2 runs. Each would be priced as if it were by itself, and
// together they would cost more than the sum. With independent draws the sum holds.
//
// δ is not part of it. The same protocol at another δ releases the same again, so both guarantees
// hold for one release. New draws would make it two releases.
func bound(identity []byte, event accounting.Event, settings ...any) ([]byte, error) {
	if identity == nil {
		return nil, nil
	}
	parts := [][]byte{identity, textOf(event)}
	for _, s := range settings {
		parts = append(parts, described(s))
	}
	text, err := json.Marshal(parts)
	sum := sha256.Sum256(text)
	return sum[:], err
}

// textOf returns an event as JSON. One with the caller's own law or mechanism has type and String.
func textOf(event accounting.Event) []byte {
	text, err := eventjson.Marshal(event)
	if err != nil {
		return fmt.Appendf(nil, "%T %v", event, event)
	}
	return text
}

// described returns the type of a value, and what package json writes of it. Functions have only
// their type.
func described(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		text = nil
	}
	return fmt.Appendf(nil, "%T %s", value, text)
}
