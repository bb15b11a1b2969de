package nbformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The types of outputs.
const (
	Stream        = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	ErrorOutput   = "error"
)

// Output is one output of a code cell. Type decides which fields are used.
type Output struct {
	Type string

	Name string // Stream: "stdout" or "stderr"
	Text string // Stream

	Data           map[string]json.RawMessage // DisplayData, ExecuteResult: contents by MIME type
	Metadata       map[string]json.RawMessage // DisplayData, ExecuteResult
	ExecutionCount int                        // ExecuteResult

	ErrorName  string   // ErrorOutput
	ErrorValue string   // ErrorOutput
	Traceback  []string // ErrorOutput

	other fields
}

// DataText returns the content of a MIME type as text, and whether there is one. Lists of lines are
// joined.
func (o Output) DataText(mime string) (string, bool) {
	raw, ok := o.Data[mime]
	if !ok {
		return "", false
	}
	text, err := joinLines(raw)
	return text, err == nil
}

// IsJSON reports whether contents of the MIME type are JSON values, not text.
func IsJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

func (o *Output) decode(raw json.RawMessage) error {
	f := fields{}
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	errs := []error{f.take("output_type", &o.Type)}
	switch o.Type {
	case Stream:
		errs = append(errs, f.take("name", &o.Name), f.takeText("text", &o.Text))
	case ExecuteResult:
		errs = append(errs, f.take("execution_count", &o.ExecutionCount), f.take("data", &o.Data), f.take("metadata", &o.Metadata))
	case DisplayData:
		errs = append(errs, f.take("data", &o.Data), f.take("metadata", &o.Metadata))
	case ErrorOutput:
		errs = append(errs, f.take("ename", &o.ErrorName), f.take("evalue", &o.ErrorValue), f.take("traceback", &o.Traceback))
	default:
		errs = append(errs, fmt.Errorf("output_type %q: must be stream, display_data, execute_result or error", o.Type))
	}
	o.other = f
	return errors.Join(errs...)
}

func (o Output) encode() fields {
	f := o.other.copy()
	f["output_type"] = mustMarshal(o.Type)
	switch o.Type {
	case Stream:
		f["name"], f["text"] = mustMarshal(o.Name), splitLines(o.Text)
	case DisplayData, ExecuteResult:
		f["data"], f["metadata"] = encodeData(o.Data), mustMarshal(orEmpty(o.Metadata))
		if o.Type == ExecuteResult {
			f["execution_count"] = mustMarshal(o.ExecutionCount)
		}
	case ErrorOutput:
		traceback := o.Traceback
		if traceback == nil {
			traceback = []string{}
		}
		f["ename"], f["evalue"], f["traceback"] = mustMarshal(o.ErrorName), mustMarshal(o.ErrorValue), mustMarshal(traceback)
	}
	return f
}

// encodeData splits texts into lines, as Jupyter does. It does not change JSON values and images.
func encodeData(data map[string]json.RawMessage) json.RawMessage {
	out := fields{}
	for mime, raw := range data {
		out[mime] = raw
		if IsJSON(mime) || !strings.HasPrefix(mime, "text/") && mime != "image/svg+xml" && mime != "application/javascript" {
			continue
		}
		if text, err := joinLines(raw); err == nil {
			out[mime] = splitLines(text)
		}
	}
	return mustMarshal(out)
}
