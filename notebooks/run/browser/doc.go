// Package browser tests -lab as its user has it: in JupyterLab, in a browser. It is a module of its own, so that what drives
// the browser stays out of the library's.
//
//	go -C notebooks/run/browser test -v -timeout 15m .
//	go -C notebooks/run/browser test -v -run TestLab/Tab .    # one step alone; a Stop needs all cells of the quickstart before
//
// It needs jupyter-lab in PATH and Chromium (chromium, chromium-browser or google-chrome in PATH); without them it is
// skipped. Screenshots go to DPLAB_SCREENSHOTS, if that is a folder, for somebody to look at.
package browser
