package dpsgd

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// MarshalJSON writes the scheme of sampling as an object with its name, such as
// {"Scheme":"Poisson","Rate":0.1}. It returns an error if Sampling is not a scheme.
func (c Config) MarshalJSON() ([]byte, error) {
	type fields Config // without this method
	written := struct {
		fields
		Sampling json.RawMessage
	}{fields: fields(c), Sampling: json.RawMessage("null")}
	if c.Sampling != nil {
		if !isScheme(c.Sampling) {
			return nil, fmt.Errorf("dpsgd: Config.Sampling is a %T: %s", c.Sampling, mustBeScheme())
		}
		parameters, err := json.Marshal(c.Sampling)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf(`{"Scheme":%q,%s`, schemeName(c.Sampling), parameters[1:])
		written.Sampling = json.RawMessage(strings.Replace(text, ",}", "}", 1))
	}
	return json.Marshal(written)
}

// UnmarshalJSON reads what MarshalJSON writes. It also reads configs of older code, which have a
// SamplingRate and a number as Sampling.Scheme. Sampling is unchanged if neither is given.
func (c *Config) UnmarshalJSON(text []byte) error {
	type fields Config // without this method
	read := struct {
		*fields
		Sampling     json.RawMessage
		SamplingRate float64
	}{fields: (*fields)(c)}
	err := json.Unmarshal(text, &read)
	if err == nil && (read.Sampling != nil || read.SamplingRate != 0) {
		c.Sampling, err = readSampling(read.Sampling, read.SamplingRate)
	}
	return err
}

// readSampling reads a scheme. rate is the SamplingRate of a config of older code.
func readSampling(text json.RawMessage, rate float64) (Sampling, error) {
	var old struct{ Scheme, Period int }
	var named struct{ Scheme string }
	switch {
	case len(text) == 0 || string(text) == "null":
		if rate == 0 {
			return nil, nil
		}
		return Poisson{Rate: rate}, nil
	case json.Unmarshal(text, &old) == nil:
		switch {
		case old.Scheme == 0 && old.Period == 0:
			return Poisson{Rate: rate}, nil
		case old.Scheme == 1 && old.Period == 0 && rate == 0:
			return FullBatch{}, nil
		case old.Scheme == 2 && rate == 0:
			return FixedBatches{Period: old.Period}, nil
		}
		return nil, fmt.Errorf("dpsgd: Config.Sampling %s with SamplingRate %g: must be 0 with a rate, 1, or 2 with a period", text, rate)
	case json.Unmarshal(text, &named) != nil:
		return nil, fmt.Errorf("dpsgd: Config.Sampling %s: must be an object with a Scheme", text)
	case rate != 0:
		return nil, errors.New("dpsgd: Config.SamplingRate: must be absent with a named Sampling.Scheme")
	}
	for _, s := range schemes {
		if schemeName(s) == named.Scheme {
			read := reflect.New(reflect.TypeOf(s))
			if err := json.Unmarshal(text, read.Interface()); err != nil {
				return nil, fmt.Errorf("dpsgd: Config.Sampling: %w", err)
			}
			return read.Elem().Interface().(Sampling), nil
		}
	}
	return nil, fmt.Errorf("dpsgd: Config.Sampling: Scheme %q: %s", named.Scheme, mustBeScheme())
}
