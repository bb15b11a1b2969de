package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// compareJSON returns the first value in which two JSON texts differ, numbers within the tolerance.
func compareJSON(expected, found []byte, tolerance float64) *difference {
	a, errA := parse(expected)
	b, errB := parse(found)
	if errA != nil || errB != nil {
		return compareText(string(expected), string(found), tolerance)
	}
	return compareValues("", a, b, tolerance)
}

// parse reads JSON. It also reads a JSON text that is stored as a string.
func parse(data []byte) (any, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		var inner any
		if json.Unmarshal([]byte(text), &inner) == nil {
			return inner, nil
		}
	}
	return v, nil
}

func compareValues(path string, a, b any, tolerance float64) *difference {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return compareObjects(path, x, y, tolerance)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return compareLists(path, x, y, tolerance)
		}
	case float64:
		if y, ok := b.(float64); ok && sameNumber(x, y, tolerance) {
			return nil
		}
	case string:
		if y, ok := b.(string); ok {
			return compareText(x, y, tolerance).at(path)
		}
	default:
		if a == b {
			return nil
		}
	}
	return &difference{path, brief(a), brief(b)}
}

func compareObjects(path string, a, b map[string]any, tolerance float64) *difference {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		other, ok := b[key]
		if !ok {
			return &difference{path + "." + key, brief(a[key]), "nothing"}
		}
		if d := compareValues(path+"."+key, a[key], other, tolerance); d != nil {
			return d
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[key]; !ok {
			return &difference{path + "." + key, "nothing", brief(b[key])}
		}
	}
	return nil
}

func compareLists(path string, a, b []any, tolerance float64) *difference {
	for i := range min(len(a), len(b)) {
		if d := compareValues(fmt.Sprintf("%s[%d]", path, i), a[i], b[i], tolerance); d != nil {
			return d
		}
	}
	if len(a) != len(b) {
		return &difference{path, fmt.Sprintf("%d items", len(a)), fmt.Sprintf("%d items", len(b))}
	}
	return nil
}

func brief(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if text := []rune(string(data)); len(text) > 60 {
		return string(text[:57]) + "..."
	}
	return string(data)
}
