package tree_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"isthmus.internal/testfixtures/tree"
)

// top is the root of the tree, seen from this package, where go test runs its binary.
const top = "../.."

// TestTree holds the tree itself to the rules.
func TestTree(t *testing.T) {
	faults, err := tree.Check(os.DirFS(top))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// TestRoomsBelowHTTPDoNotLinkIt reads what the go command would link, which sees through other packages.
func TestRoomsBelowHTTPDoNotLinkIt(t *testing.T) {
	args := []string{"list", "-deps"}
	for _, room := range tree.WithoutHTTP() {
		args = append(args, "./"+room+"/...")
	}
	list := exec.Command("go", args...)
	list.Dir = top
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	for _, f := range tree.CheckDependencies(string(out)) {
		t.Error(f)
	}
}

// sound is a tree without a fault. Each row of TestCheck adds files to it or replaces some.
var sound = map[string]string{
	".gitignore":             "/bin/\n",
	".git/config":            "[" + "FIX" + "ME]",
	"bin/tool":               "\x00",
	"go.mod":                 "module isthmus.internal\n\ngo 1.25.0 // the oldest that works\n",
	"docs/roots.md":          "A root such as file:///home/user/notes is fine.\n",
	"jsonrpc/doc.go":         "// Package jsonrpc is the engine.\npackage jsonrpc\n",
	"jsonrpc/a.go":           "package jsonrpc\n\nimport \"bytes\"\n",
	"mcp/a.go":               "// Package mcp is the vocabulary.\npackage mcp\n\nimport _ \"isthmus.internal/jsonrpc\"\n",
	"mcp/seal/a.go":          "// Package seal seals.\npackage seal\n\nimport _ \"isthmus.internal/mcp\"\n",
	"stdio/a_test.go":        "// Package stdio_test is a test alone.\npackage stdio_test\n\nimport _ \"isthmus.internal/mcp/seal\"\n",
	"stdio/testdata/bad.go":  "no Go at all",
	"testfixtures/x/main.go": "// Command x waits.\npackage main\n\nimport \"time\"\n\nfunc main() { time.Sleep" + "(1) }\n",
}

// linked has links of every kind in its comments, each of which leads somewhere.
var linked = map[string]string{
	"jsonrpc/a.go": "package jsonrpc\n\n// Raw has [Raw.Kind] and [id].\ntype Raw []byte\n\n// Kind is of [Raw], in [jsonrpc] and [bytes.Buffer].\nfunc (r *Raw) Kind() int { return 0 }\n\nvar id int\n",
	"mcp/a.go": "// Package mcp is the vocabulary, above [isthmus.internal/jsonrpc], beside [encoding/json.Encoder].\npackage mcp\n\nimport (\n\t\"io\"\n\n\t\"isthmus.internal/jsonrpc\"\n)\n\n" +
		"// A has [A.Kind] and [*jsonrpc.Raw.Kind], [A.n], [b.Do], [b.Close], [G.Get], [C.Kind] and [f]:\n//\n//\tx := [nowhere.At]\ntype A struct {\n\tjsonrpc.Raw\n\tn int\n}\n\n" +
		"type b interface {\n\tDo()\n\tio.Closer\n}\n\n// G is generic.\ntype G[T any] struct{}\n\n// Get is of G.\nfunc (g *G[T]) Get() {}\n\ntype C = A // the same\n\nconst f = 1\n",
}

func TestCheck(t *testing.T) {
	const doc = "// Package p is for the test.\n"
	tests := []struct {
		name  string
		files map[string]string // laid over sound
		want  []string          // the faults, each by a part of its line
	}{
		{name: "sound"},
		{name: "import to the right",
			files: map[string]string{"jsonrpc/a.go": "package jsonrpc\n\nimport \"isthmus.internal/mcp\"\n"},
			want:  []string{`jsonrpc/a.go:3: import "isthmus.internal/mcp": jsonrpc may import only rooms to its left: none`}},
		{name: "import to the right by a test",
			files: map[string]string{"legacy/a_test.go": doc + "package legacy_test\n\nimport \"isthmus.internal/stdio\"\n"},
			want:  []string{`legacy/a_test.go:4: import "isthmus.internal/stdio": legacy may import only rooms to its left: jsonrpc, mcp`}},
		{name: "stdio and httpmcp apart",
			files: map[string]string{
				"stdio/b.go":   "package stdio\n\nimport \"isthmus.internal/httpmcp/oauth\"\n",
				"httpmcp/a.go": doc + "package httpmcp\n\nimport \"isthmus.internal/stdio\"\n"},
			want: []string{
				`httpmcp/a.go:4: import "isthmus.internal/stdio": httpmcp may import only`,
				`stdio/b.go:3: import "isthmus.internal/httpmcp/oauth": stdio may import only`}},
		{name: "import of a command",
			files: map[string]string{"testfixtures/x/x.go": "package main\n\nimport \"isthmus.internal/cmd/mcp\"\n"},
			want:  []string{`testfixtures/x/x.go:3: import "isthmus.internal/cmd/mcp": testfixtures may import only`}},
		{name: "import of no room",
			files: map[string]string{"cmd/m/a.go": doc + "package main\n\nimport \"isthmus.internal/docs\"\n"},
			want:  []string{`cmd/m/a.go:4: import "isthmus.internal/docs": cmd may import only`}},
		{name: "import from no room",
			files: map[string]string{"docs/a.go": doc + "package docs\n\nimport \"isthmus.internal/mcp\"\n"},
			want:  []string{`docs/a.go:4: import "isthmus.internal/mcp": docs is no room that holds code`}},
		{name: "import from outside",
			files: map[string]string{"cmd/m/a.go": doc + "package main\n\nimport \"example.com/x\"\n"},
			want:  []string{`cmd/m/a.go:4: import "example.com/x": only the standard library`}},
		{name: "import of C",
			files: map[string]string{"cmd/m/a.go": doc + "package main\n\nimport \"C\"\n"},
			want:  []string{`cmd/m/a.go:4: import "C": the tree builds with Go alone`}},
		{name: "top-level names",
			files: map[string]string{"go.sum": "", "util/a.txt": ""},
			want:  []string{"go.sum: no such top-level file", "util: no such top-level folder"}},
		{name: "requirements",
			files: map[string]string{"go.mod": "module isthmus.internal\ngo 1.25.0\nrequire example.com/x v1.0.0\nreplace (\n)\nexclude a v1\n"},
			want: []string{`go.mod:3: "require example.com/x v1.0.0"`, `go.mod:4: "replace ("`,
				`go.mod:5: ")"`, `go.mod:6: "exclude a v1"`}},
		{name: "no package comment",
			files: map[string]string{"jsonrpc/doc.go": "// detached\n\npackage jsonrpc\n"},
			want:  []string{"jsonrpc: no file of this package has a package comment"}},
		{name: "a test that sleeps",
			files: map[string]string{"mcp/a_test.go": "package mcp\n\nimport clock \"time\"\n\nfunc f() { clock.Sleep" + "(1) }\n"},
			want:  []string{"mcp/a_test.go:5: time.Sleep: a test that sleeps"}},
		{name: "the environment",
			files: map[string]string{"mcp/b.go": "package mcp\n\nimport \"os\"\n\nvar a = os.Getenv(\"A\")\nvar _, b = os.LookupEnv(\"B\")\n"},
			want:  []string{"mcp/b.go:5: os.Getenv: ", "mcp/b.go:6: os.LookupEnv: "}},
		{name: "init, and a method of that name",
			files: map[string]string{"mcp/b.go": "package mcp\n\ntype t int\n\nfunc (t) init() {}\n\nfunc init() {}\n"},
			want:  []string{"mcp/b.go:7: func init: "}},
		{name: "exported names without comments",
			files: map[string]string{"mcp/b.go": "package mcp\n\ntype A int\n\ntype b[T any] int\n\nfunc (A) Do() {}\nfunc (*b[T]) Do() {}\nfunc F() {}\n\n" +
				"const (\n\tC = 1\n\tD = 2 // said\n)\n\n// All of them.\nvar (\n\tE = 1\n)\n", "mcp/b_test.go": "package mcp\n\nfunc G() {}\n"},
			want: []string{"mcp/b.go:12: C: an exported name", "mcp/b.go:3: A: an exported name", "mcp/b.go:7: Do: an exported name", "mcp/b.go:9: F: an exported name"}},
		{name: "a function that is too long",
			files: map[string]string{"mcp/b.go": "package mcp\n\nfunc f() {" + strings.Repeat("\n", 60) + "}\n\nfunc g() {" + strings.Repeat("\n", 59) + "}\n",
				"mcp/b_test.go": "package mcp\n\nfunc h() {" + strings.Repeat("\n", 60) + "}\n"},
			want: []string{"mcp/b.go:3: func f: it has 61 lines, more than 60"}},
		{name: "links in comments", files: linked},
		{name: "links in comments that lead nowhere",
			files: map[string]string{"mcp/b.go": "package mcp\n\nimport \"isthmus.internal/jsonrpc\"\n\n// A [B] has [A.C], [jsonrpc.Nope] and\n// a [*nope.X].\ntype A struct{ jsonrpc.Raw }\n\n" +
				"//   - see [A.Raw] and\n//   - see [isthmus.internal/nope]\nvar _ A\n\nfunc f() {\n\t// [b.C] is not there, a[i] is no link\n}\n"},
			want: []string{"mcp/b.go:14: [b.C] leads nowhere", "mcp/b.go:5: [A.C]", "mcp/b.go:5: [B] leads nowhere: mcp has no such name", "mcp/b.go:5: [jsonrpc.Nope]", "mcp/b.go:5: [nope.X]", "mcp/b.go:9: [isthmus.internal/nope]"}},
		{name: "words",
			files: map[string]string{"docs/a.md": "see (/ho" + "me/ann/x)\n<<<<<" + "<< ours\n// FIX" + "ME\n"},
			want:  []string{`docs/a.md:1: "(/ho`, `docs/a.md:2: "<<<<`, `docs/a.md:3: "FIX`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for _, layer := range []map[string]string{sound, test.files} {
				for name, text := range layer {
					files[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			got, err := tree.Check(files)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, test.want)
		})
	}
}

func TestCheckReportsWhatItCannotRead(t *testing.T) {
	tests := []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"no .gitignore", fstest.MapFS{"go.mod": {}}, ".gitignore"},
		{"a syntax error", fstest.MapFS{".gitignore": {}, "mcp/a.go": {Data: []byte("package")}}, "mcp/a.go"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := tree.Check(test.files)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that names %s", err, test.want)
			}
		})
	}
}

func TestCheckDependencies(t *testing.T) {
	const all = "bytes\nisthmus.internal/jsonrpc\nisthmus.internal/mcp\nisthmus.internal/legacy\n" +
		"isthmus.internal/discover\nisthmus.internal/stdio\nisthmus.internal/testfixtures/echo/stdioecho\nnet\n"
	tests := []struct {
		name, listing string
		want          []string
	}{
		{"sound", all, nil},
		{"linked", all + "net/http\nnet/http/internal\n", []string{"net/http: linked by", "net/http/internal: linked by"}},
		{"a room is missing", strings.Replace(all, "/legacy", "/legacy/x", 1), []string{"legacy: not in the list"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compare(t, tree.CheckDependencies(test.listing), test.want)
		})
	}
}

// compare matches each fault with the part of a line that is wanted in its place.
func compare(t *testing.T, got []tree.Fault, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(f tree.Fault, part string) bool { return strings.Contains(f.String(), part) }) {
		t.Errorf("faults\n got %q\nwant %q", got, want)
	}
}
