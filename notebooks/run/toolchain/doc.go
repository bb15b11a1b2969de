// Package toolchain builds what a cell needs before it can run: the GoNB kernel and goimports at the
// versions pinned in notebooks/tools, with gopls for JupyterLab, kept in the user's cache, and the packages that the notebooks import.
package toolchain
