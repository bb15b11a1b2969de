package accounting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// shape is what one kind of JSON object may have. Names are exact: a misspelled one is not read as
// missing, because a missing number is 0, a stronger claim.
type shape struct {
	kind               string   // for messages: "guarantee"
	required, optional []string // names of fields
}

// read decodes a JSON object into v. It returns an error that lists each field that is unknown,
// given twice, or required and missing or null.
func (s shape) read(text []byte, v any) error {
	names, values, err := members(text)
	if err != nil {
		return fmt.Errorf("accounting: %s: must be a JSON object: %w", s.kind, err)
	}
	known := slices.Concat(s.required, s.optional)
	slices.Sort(known)
	var faults []error
	for i, name := range names {
		if !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("accounting: %s.%s is not a field: must be one of %s", s.kind, name, strings.Join(known, ", ")))
		} else if slices.Contains(names[:i], name) {
			faults = append(faults, fmt.Errorf("accounting: %s.%s is given more than once: must be given once", s.kind, name))
		}
	}
	for _, name := range s.required {
		if i := slices.Index(names, name); i < 0 {
			faults = append(faults, fmt.Errorf("accounting: %s.%s is missing: must be given", s.kind, name))
		} else if string(values[i]) == "null" {
			faults = append(faults, fmt.Errorf("accounting: %s.%s is null: must have a value", s.kind, name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// members returns the names and values of a JSON object, in its order.
func members(text []byte) (names []string, values []json.RawMessage, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil {
		return nil, nil, err
	} else if token != json.Delim('{') {
		return nil, nil, errors.New("it is another value")
	}
	for decoder.More() {
		token, err := decoder.Token()
		var value json.RawMessage
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return nil, nil, err
		}
		names, values = append(names, token.(string)), append(values, value) // a key is a string
	}
	return names, values, nil
}
