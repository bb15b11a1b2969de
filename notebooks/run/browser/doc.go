// Package browser tests -lab as its user sees it: in JupyterLab, in a browser. It is a separate
// module, so the library does not depend on the packages that drive the browser.
//
//	go -C notebooks/run/browser test -v -timeout 15m .
//	go -C notebooks/run/browser test -v -run TestLab/Tab .    # one step
//
// A step that stops a cell needs all cells of the quickstart before it. The test needs jupyter-lab
// in PATH and Chromium (chromium, chromium-browser or google-chrome in PATH). Without them it is
// skipped. Screenshots go to DPLAB_SCREENSHOTS, if that is a folder.
package browser
