package ask

import (
	"reflect"

	"github.com/dplab/dplab/accounting"
)

// Reserve returns the largest Delta of an accounting.WithDeltaReserve in accountants: one of them,
// or what they hold in fields, pointers, interfaces and lists, embedded ones included. What an
// accountant reaches by a function or a map is not seen.
func Reserve(accountants ...accounting.Accountant) float64 {
	return reserve(reflect.ValueOf(accountants), 32)
}

func reserve(v reflect.Value, depth int) (largest float64) {
	if depth == 0 {
		return 0
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return reserve(v.Elem(), depth-1)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Interface || k == reflect.Struct || k == reflect.Pointer {
			for i := range v.Len() {
				largest = max(largest, reserve(v.Index(i), depth-1))
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[accounting.WithDeltaReserve]() {
			largest = v.FieldByName("Delta").Float()
		}
		for i := range v.NumField() {
			largest = max(largest, reserve(v.Field(i), depth-1))
		}
	}
	return largest
}
