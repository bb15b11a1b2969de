// Package command is what the commands of this module share: flags whose errors say the rule, lines that fit a terminal, and
// files and figures that are tried before any work starts. It promises nothing to other modules.
package command
