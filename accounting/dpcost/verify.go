package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/dplab/dplab/accounting/command"
	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
	"github.com/dplab/dplab/accounting/dpcost/internal/input"
	"github.com/dplab/dplab/accounting/verify"
)

// verifyCommand checks answers from their proofs. A file has one a line, or is one of -json, whose
// rows have one each.
func verifyCommand(args []string) ([]byte, error) {
	var asJSON bool
	set := flag.NewFlagSet("verify", flag.ContinueOnError)
	command.SwitchVar(set, &asJSON, "json", "")
	path, err := flags.ParseFile(set, args)
	if err != nil {
		return nil, err
	}
	texts, err := input.ReadLines("verify", path)
	if err != nil {
		return nil, err
	}
	var rows []json.RawMessage
	for _, text := range texts {
		var whole struct{ Rows []json.RawMessage }
		if err := json.Unmarshal(text, &whole); err != nil || len(whole.Rows) == 0 {
			whole.Rows = []json.RawMessage{text}
		}
		rows = append(rows, whole.Rows...)
	}
	var verdicts []verify.Verdict
	var errs []error
	for _, row := range rows {
		answer, err := verify.Read(row)
		if err == nil {
			var v verify.Verdict
			v, err = answer.Verify()
			verdicts = append(verdicts, v)
		}
		if errs = append(errs, err); err != nil {
			errs[len(errs)-1] = fmt.Errorf("not verified: %s: %w", path, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if asJSON {
		out, err := json.MarshalIndent(map[string]any{"verified": verdicts}, "", "  ")
		return append(out, '\n'), err
	}
	lines := make([]string, len(verdicts))
	for i, v := range verdicts {
		lines[i] = v.String() + "\n"
	}
	return []byte(strings.Join(lines, "")), nil
}
