package command

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// AsksJSON looks for -json in a command line that may be wrong elsewhere.
func AsksJSON(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, value, given := strings.Cut(a, "=")
		on, err := strconv.ParseBool(value)
		return (name == "-json" || name == "--json") && (!given || on && err == nil)
	})
}

// ErrorJSON returns a line with an error and the exit code as one JSON object.
func ErrorJSON(message string, code int) []byte {
	text, _ := json.MarshalIndent(struct {
		Error    string `json:"error"`
		ExitCode int    `json:"exit_code"`
	}{message, code}, "", "  ")
	return append(text, '\n')
}
