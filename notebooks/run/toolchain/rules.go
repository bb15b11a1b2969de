package toolchain

import (
	"context"
	"encoding/json"
	"os"
	"slices"
)

// ModuleRules returns, as NAME=value, what the user has set on where modules may come from, in the environment or with
// go env -w. A variable of the environment hides what go env -w has set: who adds to one must know the other.
func ModuleRules(ctx context.Context, goTool Go, dir string) []string {
	plain := Go{Path: goTool.Path, Env: os.Environ()}
	out, err := plain.output(ctx, dir, nil, "env", "-json", "GOPRIVATE", "GONOPROXY", "GOVCS")
	var set map[string]string
	if err != nil || json.Unmarshal([]byte(out), &set) != nil {
		return nil // a go command that does not know them
	}
	var rules []string
	for name, value := range set {
		if value != "" {
			rules = append(rules, name+"="+value)
		}
	}
	slices.Sort(rules)
	return rules
}
