// Package relay stands between JupyterLab and a GoNB kernel, and adds what JupyterLab's users expect of a kernel:
//
//   - Stop ends what a cell does at the time, the compiler too. GoNB v0.11.5 forgets a Stop that comes while it compiles.
//   - A cell that fails, or is stopped, ends the run of all: the cells behind it that wait are given back, not run.
//   - An error is one text with cell, line, source and what to do about it, instead of "exit status 1".
//
// JupyterLab's messages go to GoNB and GoNB's to JupyterLab, signed anew as each has a key of its own; what is not named above
// passes as it is. The kernel is prepared before JupyterLab can reach it, so that its first cell may be any.
//
// Stop while compiling needs Linux. Elsewhere it is passed on, as without a relay.
package relay
