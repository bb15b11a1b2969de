// Package docker has tests of what can be read of the images without building them.
package docker

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var images = []string{"cpu.Dockerfile", "cuda.Dockerfile"}

// The images are built by one Go, that of go.mod or a later one, and the last user in them is not root.
func TestBases(t *testing.T) {
	wanted := regexp.MustCompile(`(?m)^go ([0-9.]+)$`).FindStringSubmatch(read(t, "../go.mod"))[1]
	first := read(t, images[0])
	for _, image := range images {
		text := read(t, image)
		for _, base := range regexp.MustCompile(`(?m)^FROM .*`).FindAllString(text, -1) {
			if !strings.Contains(first, base) || !regexp.MustCompile(`:\d+\.\d+\.\d+-`).MatchString(base) {
				t.Errorf("%s: %s: must be as in %s, with a full version", image, base, images[0])
			}
		}
		found := regexp.MustCompile(`FROM golang:([0-9.]+)-`).FindStringSubmatch(text)[1]
		if older(found, wanted) {
			t.Errorf("%s: go %s: must be %s or later, as go.mod says", image, found, wanted)
		}
		users := regexp.MustCompile(`(?m)^USER (\w+)`).FindAllStringSubmatch(text, -1)
		if len(users) == 0 || users[len(users)-1][1] == "root" {
			t.Errorf("%s: users %v: the last must be there, and not root", image, users)
		}
	}
}

// older compares versions such as 1.26.8.
func older(a, b string) bool {
	pad := func(v string) []string {
		parts := strings.Split(v, ".")
		for i, p := range parts {
			parts[i] = strings.Repeat("0", 6-len(p)) + p
		}
		return parts
	}
	return slices.Compare(pad(a), pad(b)) < 0
}

// Both images leave out the same files, by the .dockerignore of each Dockerfile.
func TestIgnoredFiles(t *testing.T) {
	want := read(t, images[0]+".dockerignore")
	for _, image := range images {
		if got := read(t, image+".dockerignore"); got != want || !strings.Contains(got, ".git\n") {
			t.Errorf("%s.dockerignore: %q, want %q", image, got, want)
		}
	}
}

// No volume covers sources of the image: it would keep the old ones after an update. Each covers a
// folder that git and the images leave out, and that the user of the image owns.
func TestVolumes(t *testing.T) {
	volume := regexp.MustCompile(`[a-z-]+:(/[^ \n]*)`)
	mounts := regexp.MustCompile(`(?m)^      - (\w.*)$|-v (\S+)`)
	all := mounts.FindAllStringSubmatch(read(t, "compose.yaml")+read(t, "README.md"), -1)
	if len(all) < 3 {
		t.Fatalf("volumes %q: want those of compose.yaml and of README.md", all)
	}
	for _, found := range all {
		m := volume.FindStringSubmatch(found[1] + found[2])
		if m == nil {
			t.Errorf("%q: must be NAME:/PATH", found[0])
			continue
		}
		folder, inside := strings.CutPrefix(m[1], "/opt/dplab/src/")
		if !inside || !strings.Contains(read(t, "../.gitignore"), "\n/"+folder+"/\n") || !strings.Contains(read(t, images[0]+".dockerignore"), folder+"\n") {
			t.Errorf("volume %s: %s: must be a folder below /opt/dplab/src that .gitignore and .dockerignore name", m[0], m[1])
		}
		for _, image := range images {
			_, made, _ := strings.Cut(read(t, image), "\nUSER dplab\n")
			if !regexp.MustCompile(`\nRUN mkdir -p .*` + folder + `\b`).MatchString(made) {
				t.Errorf("%s: must make %s as the user, or its volume belongs to root", image, folder)
			}
		}
	}
}

// Every Python package has its version and a hash, and is installed by it.
func TestPackagesArePinned(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^([a-z0-9.-]+)==([0-9][^ ]*) (?:; [^\\]*)?\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+`)
	for _, list := range []string{"requirements.txt", "requirements-cuda.txt"} {
		text := read(t, list)
		rest := regexp.MustCompile(`(?m)^\s*(#.*)?\n`).ReplaceAllString(entry.ReplaceAllString(text, ""), "")
		if n := len(entry.FindAllString(text, -1)); n < 5 || rest != "" {
			t.Errorf("%s: %d packages with version and hash, and this: %q", list, n, rest)
		}
	}
	for _, image := range images {
		for _, line := range regexp.MustCompile(`pip install.*`).FindAllString(read(t, image), -1) {
			if !strings.Contains(line, "--require-hashes") {
				t.Errorf("%s: %s: must be by hash", image, line)
			}
		}
	}
}

// The plugins that the cuda image loads are the ones that the rest of the repository was tried with, below the Python that it has.
func TestPluginsOfTheImage(t *testing.T) {
	text := read(t, "cuda.Dockerfile")
	python := regexp.MustCompile(`FROM python:(\d+\.\d+)\.`).FindStringSubmatch(text)[1]
	for name, source := range map[string]string{"DPLAB_PJRT": "../.ci/run", "DPLAB_PJRT_CUDA": "../dptune/dpsgd/xla/gpucheck/README.md"} {
		path := regexp.MustCompile(name + `=(\S+)`).FindStringSubmatch(text)[1]
		if !strings.HasPrefix(path, "/usr/local/lib/python"+python+"/site-packages/") {
			t.Errorf("%s=%s: must be below the site-packages of Python %s", name, path, python)
		}
		sum := regexp.MustCompile(name + `_SHA256=([0-9a-f]{64})`).FindStringSubmatch(text)[1]
		if !strings.Contains(read(t, source), sum) {
			t.Errorf("%s_SHA256=%s: must be the one in %s", name, sum, source)
		}
	}
	cpu := regexp.MustCompile(`lammps-jax-pjrt-cpu==\S+.*?sha256:[0-9a-f]{64}`)
	squeezed := func(path string) string {
		return cpu.FindString(strings.Join(strings.Fields(strings.ReplaceAll(read(t, path), "\\\n", "")), " "))
	}
	if a, b := squeezed("requirements-cuda.txt"), squeezed("../dptune/dpsgd/xla/requirements.txt"); a == "" || a != b {
		t.Errorf("the CPU's plugin is %q here and %q there", a, b)
	}
}

// A check of a GPU without an image installs the same packages.
func TestPackagesOfGpucheck(t *testing.T) {
	for _, name := range []string{"gpucheck.sh", "README.md"} {
		if text := read(t, "../dptune/dpsgd/xla/gpucheck/"+name); !strings.Contains(text, "--no-deps --require-hashes -r") || !strings.Contains(text, "/requirements-cuda.txt") {
			t.Errorf("%s: must install requirements-cuda.txt by hash", name)
		}
	}
}

// Each image holds the licenses of the programs that it builds, the notebooks' tools among them.
func TestImagesCarryLicenses(t *testing.T) {
	for _, image := range images {
		text := read(t, image)
		at := strings.Index(text, "go run ./docker/release -notices /opt/dplab/THIRD_PARTY_NOTICES.txt")
		if at < 0 || at < strings.Index(text, "go run ./notebooks/run -") || strings.Index(text, "EXPOSE") < at {
			t.Errorf("%s: must write the notices when all programs are built", image)
		}
		for _, program := range []string{"./notebooks/run ", "./notebooks/train ", "./accounting/dpcost ", "./audit/dpaudit ", "/dplab/tools -type"} {
			if !strings.Contains(text, program) {
				t.Errorf("%s: the notices leave %s out", image, program)
			}
		}
	}
}

// Nobody enters without a token of the owner's, and from other machines not at all.
func TestAccess(t *testing.T) {
	compose := read(t, "compose.yaml")
	for _, want := range []string{"JUPYTER_TOKEN: ${DPLAB_TOKEN:?", `"127.0.0.1:8888:8888"`} {
		if !strings.Contains(compose, want) {
			t.Errorf("compose.yaml: has no %s", want)
		}
	}
	for _, image := range images {
		if text := read(t, image); regexp.MustCompile(`(?i)token *=|password`).MatchString(text) {
			t.Errorf("%s sets a token or a password: must leave it to the owner", image)
		}
	}
}
