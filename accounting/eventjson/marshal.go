package eventjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
)

// Marshal writes an event as a JSON object, {"type":"gaussian","noise_multiplier":2}.
// [Unmarshal] reads it back to an equal event.
//
// It returns an error if the event is nil or not valid, or nested too deeply for Unmarshal. If the
// type has no format, the error wraps [accounting.ErrUnsupportedEvent].
func Marshal(event accounting.Event) ([]byte, error) {
	if event == nil {
		return nil, check.Given(false, "eventjson: event", "must be an event")
	}
	if err := event.Validate(); err != nil {
		return nil, err
	}
	for _, f := range formats {
		fields, ok := f.encode(event)
		if !ok {
			continue
		}
		text, err := marshalFields(append([]Field{{"type", f.name}}, fields...))
		if err == nil && nesting(text) > maxDepth {
			err = fmt.Errorf("eventjson: event %T: has more than %d objects inside each other: must have fewer", event, maxDepth)
		}
		return text, err
	}
	return nil, fmt.Errorf("eventjson: event %T: has no JSON format: must have one, by eventjson.Register: %w", event, accounting.ErrUnsupportedEvent)
}

// nesting returns the largest number of objects inside each other in valid JSON, without the outer
// one.
func nesting(text []byte) int {
	decoder, depth, deepest := json.NewDecoder(bytes.NewReader(text)), 0, 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest - 1
		}
		switch token {
		case json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'):
			depth--
		}
	}
}

// marshalFields writes an object with its fields in order. A value that is an error is returned.
func marshalFields(fields []Field) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, f := range fields {
		value, err := marshalValue(f.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", f.Name, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func marshalValue(value any) ([]byte, error) {
	switch v := value.(type) {
	case error:
		return nil, v
	case accounting.Event:
		return Marshal(v)
	case []Field:
		return marshalFields(v)
	case []accounting.Event:
		parts := make([][]byte, len(v))
		for i, inner := range v {
			part, err := Marshal(inner)
			if err != nil {
				return nil, err
			}
			parts[i] = part
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]")), nil
	}
	return json.Marshal(value)
}
