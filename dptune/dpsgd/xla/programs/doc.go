// Package programs keeps what XLA compiled in files, so that no process compiles a program that another one has compiled.
// Each cell of a notebook is a process of its own.
//
// go-xla (v0.4.2) does not offer this, PJRT does: a plugin is a table of functions, go-xla takes the table of a plugin that a
// program has loaded itself, and this package gives it a copy in which one function, PJRT_Client_Compile, is its own. That looks
// for a file first, and else asks the plugin and has it write the compiled program out (PJRT_Executable_Serialize).
//
// A file is found by a SHA-256 of all that the machine code depends on: the text of the program but its name, the options, the plugin, what it
// says of its devices (a GPU's kind and compute capability), the driver, the processor, how many cores there are, and XLA_FLAGS. It holds a
// SHA-256 of itself: a damaged one is not loaded, but compiled anew, and so is one that the plugin refuses.
//
// Nothing is kept or looked for where XLA_FLAGS asks for dumps, which only compiling writes.
//
// A file is code, which runs inside the process. Only a folder that is the user's, and that nobody else may write to, is used.
//
// It promises nothing to other modules.
package programs

// Variable is the variable of the environment that names the folder: an absolute path, or "off". Unless it is set the folder is
// dplab/xla in the user's cache folder.
const Variable = "DPLAB_XLA_CACHE"
