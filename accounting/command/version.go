package command

import "runtime/debug"

// released is the version of a program built by docker/release. The linker sets it.
var released string

// Version returns a line with the source that a program was built from.
func Version(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return name + ", built without module information\n"
	}
	version := info.Main.Version
	if released != "" {
		version = released
	}
	text := name + " " + version + ", " + info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
			text += ", " + s.Key + " " + s.Value
		}
	}
	return text + "\n"
}
