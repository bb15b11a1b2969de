package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dplab/dplab/notebooks/run/check"
	"github.com/dplab/dplab/notebooks/run/joint"
	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
)

// jointCells are the cells of a notebook that one program runs, see package joint. The zero value
// has none.
type jointCells struct {
	command joint.GoCommand
	program string
	sources map[int]string // what GoNB composes for a cell, by the step's number
}

// inPath returns the environment of the kernel that runs the cells.
func (c jointCells) inPath(env []string) []string {
	if c.sources == nil {
		return env
	}
	return c.command.InPath(env)
}

// expect makes the joint program run the cell of a step, if it holds it.
func (c jointCells) expect(s step) error {
	if c.sources[s.Number] == "" {
		return nil
	}
	return c.command.Expect(c.sources[s.Number], c.program, s.Number)
}

// took reports whether the joint program ran the cell of a step, after expect.
func (c jointCells) took(s step) bool { return c.sources[s.Number] != "" && c.command.Took() }

// fewestSteps is the least number of cells that are worth joining. Composing them costs about as
// much as linking one.
const fewestSteps = 3

// joinCells compiles the joint program of a notebook. If its cells cannot be joined, it
// prints why, and the notebook runs without. The error is about ctx.
func (r *runner) joinCells(ctx context.Context, j *job, temp string) (jointCells, error) {
	if len(j.Steps) < fewestSteps || j.Packages.exports == nil || runtime.GOOS == "windows" {
		return jointCells{}, nil
	}
	cells, err := r.tryJoining(ctx, j, temp)
	if ctx.Err() != nil {
		return jointCells{}, context.Cause(ctx)
	}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		r.display.Line("%s: each cell is linked by itself: %s", j.Name, first)
		return jointCells{}, nil
	}
	return cells, nil
}

func (r *runner) tryJoining(ctx context.Context, j *job, temp string) (c jointCells, err error) {
	composer, err := joint.NewComposer(filepath.Join(temp, "composer"), r.goTool.Path)
	if err != nil {
		return c, err
	}
	env := r.kernelEnv(j, temp)
	k, err := r.startKernel(ctx, j, filepath.Join(temp, "composing"), composer.InPath(env))
	if err != nil {
		return c, err
	}
	defer k.Stop()
	composed, err := r.composeCells(ctx, k, j)
	if err != nil {
		return c, err
	}
	joined, err := joint.Join(composed, j.Packages.exports)
	if err != nil {
		return c, err
	}
	for name, source := range joined.Files {
		if err := os.WriteFile(filepath.Join(k.CellFolder(), name), []byte(source), 0o600); err != nil {
			return c, err
		}
	}
	c.program = filepath.Join(temp, "cells")
	if err := r.goTool.Run(ctx, k.CellFolder(), append(env, "TMPDIR="+r.temp), "build", "-o", c.program); err != nil {
		return c, err
	}
	c.sources = map[int]string{}
	for _, cell := range joined.Cells {
		c.sources[cell.Number] = cell.Source
	}
	for _, s := range j.Steps {
		if s.Cell.HasTag(check.RaisesException) { // it would run twice
			delete(c.sources, s.Number)
		}
	}
	c.command, err = joint.NewGoCommand(filepath.Join(temp, "joint"), r.goTool.Path)
	return c, err
}

// composeCells returns the programs that GoNB composes for the steps, up to the first with a
// command to GoNB or with an error. k is a kernel with the go command of joint.NewComposer, which
// runs nothing.
func (r *runner) composeCells(ctx context.Context, k *kernel.Kernel, j *job) ([]joint.Cell, error) {
	file := filepath.Join(k.CellFolder(), "main.go")
	var cells []joint.Cell
	for _, s := range j.Steps {
		if s.Skip {
			continue
		}
		if kernel.HasCommand(s.Cell.Source) {
			return cells, nil
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		reply, err := runCell(ctx, k, s.Cell.Source, false, r.options.Timeout, func(jupyter.Message) {})
		if err != nil {
			return nil, fmt.Errorf("cell [%d]: %w", s.Number, err)
		}
		if reply.Status != "ok" {
			return cells, nil // the real kernel reports why
		}
		if source, err := os.ReadFile(file); err == nil { // an empty cell has none
			cells = append(cells, joint.Cell{Number: s.Number, Source: string(source)})
		}
	}
	return cells, nil
}
