//go:build cgo && linux

package main

import _ "github.com/dplab/dplab/dptune/dpsgd/xla" // the backends xla:cpu and xla:cuda; the plugin is looked for when one is used
