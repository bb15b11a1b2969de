// Package programs keeps XLA's compiled programs in files. A process then does not compile what
// another one has compiled. Each cell of a notebook is a separate process.
//
// go-xla (v0.4.3) does not offer this, but PJRT does. A plugin is a table of functions, and go-xla
// accepts the table of a plugin that a program has loaded itself. This package gives it a copy of
// the table with its own PJRT_Client_Compile. That function looks for a file first. Otherwise it
// calls the plugin and lets it write out the compiled program (PJRT_Executable_Serialize).
//
// The name of a file is a SHA-256 of all that the machine code depends on:
//
//   - the text of the program without its name, and the options;
//   - the plugin, and its description of its devices (a GPU's kind and compute capability);
//   - the driver, the processor, the number of cores, and XLA_FLAGS.
//
// A file holds a SHA-256 of itself. If it is damaged, or the plugin refuses it, the program is
// compiled again.
//
// Files are not used if XLA_FLAGS asks for dumps, because only compiling writes them.
//
// A file is code that runs inside the process. So the folder must belong to the user, and nobody
// else may write to it.
//
// It promises nothing to other modules.
package programs

// Variable is the environment variable that names the folder: an absolute path, or "off". By
// default it is dplab/xla in the user's cache folder.
const Variable = "DPLAB_XLA_CACHE"
