// Package command is what the commands of this module share: flags whose errors state the rule,
// lines that fit a terminal, and files that are tried before any work starts. It promises nothing
// to other modules.
package command
