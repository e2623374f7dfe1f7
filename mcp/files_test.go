package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// folder makes a folder with these files, by path, and opens it as a root. Beside it
// lies a file that nobody may read.
func folder(t *testing.T, files map[string]string) (*os.Root, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	for path, content := range files {
		place := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func symlink(t *testing.T, dir, to, path string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(dir, path)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestFiles(t *testing.T) {
	root, _ := folder(t, map[string]string{
		"a.md": "# a", "a b/é.TXT": "é", "d/e/f.json": "{}", "empty": "", "unknown": "text", "null": "a\x00b",
		"latin.txt": "\xe9", "p.png": "png", "v.svg": "<svg/>", "q?#.x": "q", "%2e": "percent", "..a/b..": "dots", "x.own": "own",
	})
	s := quiet(mcp.ServerOptions{})
	s.AddFiles("file:///docs/", root, &mcp.FilesOptions{Name: "docs", Title: "Docs", Description: "All.", DotFiles: true,
		MIMETypes: map[string]string{".own": "application/x-own+json", ".svg": "image/svg"}})
	rows := []struct{ name, path, want string }{
		{"text", "a.md", `"mimeType":"text/markdown","text":"# a"`},
		{"encoded, upper case extension", "a%20b/%C3%A9.TXT", `"mimeType":"text/plain","text":"é"`},
		{"encoded where it need not be", "%61.md", `"mimeType":"text/markdown","text":"# a"`},
		{"below folders", "d/e/f.json", `"mimeType":"application/json","text":"{}"`},
		{"empty", "empty", `"mimeType":"text/plain","text":""`},
		{"no extension, UTF-8", "unknown", `"mimeType":"text/plain","text":"text"`},
		{"no extension, bytes", "null", `"mimeType":"application/octet-stream","blob":"YQBi"`},
		{"textual type, no UTF-8", "latin.txt", `"mimeType":"text/plain","blob":"6Q=="`},
		{"binary type, UTF-8", "p.png", `"mimeType":"image/png","blob":"cG5n"`},
		{"option before the table", "v.svg", `"mimeType":"image/svg","blob":"PHN2Zy8+"`},
		{"type of an option", "x.own", `"mimeType":"application/x-own+json","text":"own"`},
		{"delimiters, encoded", "q%3F%23.x", `"mimeType":"text/plain","text":"q"`},
		{"a name that looks encoded", "%252e", `"mimeType":"text/plain","text":"percent"`},
		{"dots that are a name", "..a/b..", `"mimeType":"text/plain","text":"dots"`},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, r := range rows {
			got := ask(t, s, f, "resources/read", `{"uri":"file:///docs/`+r.path+`"}`)
			want := `"contents":[{"uri":"file:///docs/` + r.path + `",` + r.want + `}]`
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\n got %s\nwant %s", r.name, r.path, got, want)
			}
		}
		got := ask(t, s, f, "resources/templates/list", `{}`)
		if want := `"uriTemplate":"file:///docs/{+path}","name":"docs"`; !strings.Contains(got, want) {
			t.Errorf("the list of templates is %s; want %s in it", got, want)
		}
	})
}

// TestFilesRefused shows that whatever must not be read gets the very answer of a file
// that is not there.
func TestFilesRefused(t *testing.T) {
	root, dir := folder(t, map[string]string{"a/b.txt": "b", "a/.hidden": "h", ".git/config": "g", "real/c.txt": "c"})
	symlink(t, dir, "../secret", "out")
	symlink(t, dir, filepath.Join(dir, "..", "secret"), "absolute")
	symlink(t, dir, "..", "up")
	symlink(t, dir, "a/b.txt", "inside")
	symlink(t, dir, "real", "folder")
	symlink(t, dir, "loop", "loop")
	if socket, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil {
		defer socket.Close()
	}
	s := quiet(mcp.ServerOptions{})
	s.AddFiles("docs://", root, nil)
	rows := []struct{ name, path string }{
		{"not there", "none.txt"},
		{"nothing", ""},
		{"a folder", "a"},
		{"a folder with a slash", "a/"},
		{"below a file", "a/b.txt/c"},
		{"a socket", "socket"},
		{"up", "../secret"},
		{"up and back", "a/../a/b.txt"},
		{"here", "./a/b.txt"},
		{"here inside", "a/./b.txt"},
		{"an empty segment", "a//b.txt"},
		{"from the top", "/etc/passwd"},
		{"from the top, below the root", "/a/b.txt"},
		{"encoded up", "%2e%2e/secret"},
		{"encoded up, upper case", "%2E%2E/secret"},
		{"half encoded up", ".%2e/secret"},
		{"an encoded dot in a name", "a/b%2etxt"},
		{"an encoded slash", "a%2Fb.txt"},
		{"an encoded up with slash", "..%2fsecret"},
		{"twice encoded up", "%252e%252e/secret"},
		{"a backslash", "a%5Cb.txt"},
		{"up with a backslash", "..%5csecret"},
		{"a raw backslash", `a\\b.txt`},
		{"a NUL", "a/b.txt%00"},
		{"a control character", "a/b.txt%0A"},
		{"overlong dots", "%c0%ae%c0%ae/secret"},
		{"no UTF-8", "%ff"},
		{"a bad escape", "a/%zz"},
		{"a query", "a/b.txt?x"},
		{"a fragment", "a/b.txt#x"},
		{"a link out", "out"},
		{"an absolute link", "absolute"},
		{"a link to the folder above", "up/secret"},
		{"a link inside", "inside"},
		{"a link to a folder", "folder/c.txt"},
		{"a loop", "loop"},
		{"a dot file", "a/.hidden"},
		{"a dot folder", ".git/config"},
		{"a very long name", strings.Repeat("n", 3000)},
		{"a very deep path", strings.Repeat("n/", 1500) + "n"},
	}
	inForms(t, func(t *testing.T, f *mcp.Form) {
		for _, r := range rows {
			uri, _ := jsonrpc.Raw(`"docs://` + r.path + `"`).Text()
			got := ask(t, s, f, "resources/read", `{"uri":"docs://`+r.path+`"}`)
			shown := uri
			if len(shown) > 256 {
				shown = shown[:256] + "…"
			}
			same(t, r.name, got, fmt.Sprintf(`%d Unknown resource: %s {"uri":%s}`, f.ResourceNotFound, shown, jsonrpc.AppendString(nil, uri)))
		}
		got := ask(t, s, f, "resources/read", `{"uri":"docs://a/b.txt"}`)
		if !strings.Contains(got, `"text":"b"`) {
			t.Errorf("a file that may be read: %s", got)
		}
	})
}

func TestFilesTooLarge(t *testing.T) {
	root, dir := folder(t, map[string]string{"fits": "1234", "large": "12345"})
	s := quiet(mcp.ServerOptions{})
	s.AddFiles("docs://", root, &mcp.FilesOptions{MaxBytes: 4})
	f := bare("2025-11-25")
	same(t, "fits", ask(t, s, f, "resources/read", `{"uri":"docs://fits"}`),
		`{"contents":[{"uri":"docs://fits","mimeType":"text/plain","text":"1234"}]}`)
	same(t, "large", ask(t, s, f, "resources/read", `{"uri":"docs://large"}`),
		"-32603 The resource is larger than the 4 bytes that this server reads at once")
	if err := os.Remove(filepath.Join(dir, "fits")); err != nil {
		t.Fatal(err)
	}
	same(t, "gone", ask(t, s, f, "resources/read", `{"uri":"docs://fits"}`), `-32002 Unknown resource: docs://fits {"uri":"docs://fits"}`)
}

func TestFilesList(t *testing.T) {
	root, dir := folder(t, map[string]string{"b.md": "12", "a b/c": "", ".x/y": "", "é": "1", "own": "1"})
	symlink(t, dir, "b.md", "link")
	for _, path := range []string{"b.md", "a b/c", "é", "own"} {
		at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(path)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	s := quiet(mcp.ServerOptions{})
	s.AddResource(mcp.Resource{URI: "docs://own", Name: "mine"}, holding(nil, &mcp.TextResource{Text: "mine"}))
	files := s.AddFiles("docs://", root, nil)
	const (
		own  = `{"uri":"docs://own","name":"mine"}`
		rest = `"annotations":{"lastModified":"2026-01-02T03:04:05Z"},"size":`
		c    = `{"uri":"docs://a%20b/c","name":"a b/c",` + rest + `0}`
		b    = `{"uri":"docs://b.md","name":"b.md","mimeType":"text/markdown",` + rest + `2}`
		e    = `{"uri":"docs://%C3%A9","name":"é",` + rest + `1}`
	)
	list := func(what string, want ...string) {
		t.Helper()
		if err := files.List(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		same(t, what, ask(t, s, bare("2025-11-25"), "resources/list", `{}`), `{"resources":[`+strings.Join(want, ",")+`]}`)
	}
	list("the first list", own, c, b, e)
	list("nothing has changed", own, c, b, e)
	got := ask(t, s, bare("2025-11-25"), "resources/read", `{"uri":"docs://a%20b/c"}`)
	same(t, "a listed file", got, `{"contents":[{"uri":"docs://a%20b/c","mimeType":"text/plain","text":""}]}`)

	if err := errors.Join(os.Remove(filepath.Join(dir, "é")), os.WriteFile(filepath.Join(dir, "b.md"), []byte("123"), 0o666)); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "b.md"), at, at); err != nil {
		t.Fatal(err)
	}
	list("one gone, one grown", own, c, strings.Replace(b, ":2}", ":3}", 1))
}

func TestFilesListBounds(t *testing.T) {
	root, _ := folder(t, map[string]string{"a": "", "b": "", "c": ""})
	s := quiet(mcp.ServerOptions{})
	err := s.AddFiles("docs://", root, &mcp.FilesOptions{MaxListed: 2}).List()
	if err == nil || !strings.Contains(err.Error(), "more than 2") {
		t.Errorf("List: %v; want an error with the bound", err)
	}
	got := ask(t, s, bare("2025-03-26"), "resources/list", `{}`)
	if strings.Count(got, `"uri"`) != 2 {
		t.Errorf("the list is %s; want two resources", got)
	}
	root.Close()
	if err := s.AddFiles("x://", root, nil).List(); !errors.Is(err, fs.ErrClosed) && !errors.Is(err, os.ErrClosed) {
		t.Errorf("List below a closed root: %v; want %v", err, os.ErrClosed)
	}
}

// TestFilesHidden: the options for who may see files hold for the template and for each
// listed file, and so do hints.
func TestFilesHidden(t *testing.T) {
	root, _ := folder(t, map[string]string{"a": "1", "b": "2"})
	s := quiet(mcp.ServerOptions{})
	files := s.AddFiles("docs://", root, &mcp.FilesOptions{Visible: forAlice, Cache: &mcp.CacheHint{TTL: duration(7), Public: true}})
	if err := files.List(); err != nil {
		t.Fatal(err)
	}
	f := form("2026-07-28")
	for principal, want := range map[*mcp.Principal]int{alice: 2, bob: 0, nil: 0} {
		x := &exchange{server: s, form: f, principal: principal}
		names, _ := turn(t, s, f, principal, "resources/list", "resources", "")
		templates, _ := turn(t, s, f, principal, "resources/templates/list", "resourceTemplates", "")
		got := x.ask(t, context.Background(), "resources/read", `{"uri":"docs://a"}`)
		if len(names) != want || len(templates) != want/2 || strings.HasPrefix(got, "{") != (want > 0) {
			t.Errorf("%+v sees %q and %q, and reads %s", principal, names, templates, got)
		}
		if want > 0 {
			same(t, "the hint", cacheOf(got), "7 private")
		}
	}
}

func TestAddFilesPanics(t *testing.T) {
	root, _ := folder(t, map[string]string{"a": ""})
	rows := []struct {
		name, prefix string
		root         *os.Root
		want         string
	}{
		{"no root", "docs://", nil, "the root is nil"},
		{"no scheme", "docs/", root, "must begin with a scheme"},
		{"no slash", "docs://a", root, "must end with /"},
		{"an expression", "docs://{a}/", root, "must be percent-encoded"},
	}
	for _, r := range rows {
		said := panicOf(func() { quiet(mcp.ServerOptions{}).AddFiles(r.prefix, r.root, nil) })
		if !strings.HasPrefix(said, "mcp: AddFiles: ") || !strings.Contains(said, r.want) {
			t.Errorf("%s: panicked with %q; want %q", r.name, said, r.want)
		}
	}
}

// FuzzFiles: whatever the uri is, what is read is one of the files that may be.
func FuzzFiles(f *testing.F) {
	dir := f.TempDir()
	for path, content := range map[string]string{"root/a": "allowed a", "root/b c": "allowed b", "secret": "secret", "root/.h": "secret"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "root"), 0o777), os.WriteFile(filepath.Join(dir, path), []byte(content), 0o666)); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "root", "link")); err != nil {
		f.Skip(err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "root"))
	if err != nil {
		f.Fatal(err)
	}
	defer root.Close()
	s := quiet(mcp.ServerOptions{})
	s.AddFiles("d:/", root, nil)
	for _, seed := range []string{"a", "b%20c", "../secret", "link", ".h", "%2e%2e/secret", "/", "a/../../secret", "..\\secret", "a%00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := ask(t, s, bare("2025-11-25"), "resources/read", `{"uri":`+string(jsonrpc.AppendString(nil, "d:/"+path))+`}`)
		if !slices.ContainsFunc([]string{`"text":"allowed a"`, `"text":"allowed b"`, "-32002 Unknown resource: d:/"}, func(allowed string) bool {
			return strings.Contains(got, allowed)
		}) || strings.Contains(got, `"text":"secret"`) {
			t.Errorf("%q: %s", path, got)
		}
	})
}
