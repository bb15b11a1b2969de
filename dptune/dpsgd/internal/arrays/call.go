package arrays

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Call runs a program; whatever goes wrong in it is an error about what.
func Call(exec *graph.Exec, what string, args ...any) (out []*tensors.Tensor, err error) {
	defer RecoverAs(&err, what)
	if out, err = exec.Call(args...); err != nil {
		return nil, fmt.Errorf("dpsgd: %s: %w", what, err)
	}
	return out, nil
}

// RecoverAs turns a panic of the graph library into an error about what. It is to be deferred.
func RecoverAs(err *error, what string) {
	if p := recover(); p != nil {
		if cause, ok := p.(error); ok {
			*err = fmt.Errorf("dpsgd: %s: %w", what, cause)
			return
		}
		*err = fmt.Errorf("dpsgd: %s: %v", what, p)
	}
}
