package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/uritemplate"
)

// FilesOptions say how files are served. A nil pointer, and every zero field, means
// the default that the field's comment gives.
type FilesOptions struct {
	// Name, Title and Description are those of the template. Default: the prefix is
	// the name, and there is nothing else.
	Name, Title, Description string

	// MaxBytes is the size of the largest file that is served. A larger one is
	// answered with an error that names the limit. Default: 8 MiB.
	MaxBytes int64

	// MaxListed bounds how many files [Files.List] registers. Default: 10,000.
	MaxListed int

	// MIMETypes are media types by extension, such as ".md", in lower case. They stand
	// before those of the package, which are a short table and the same on every
	// machine. Default: none.
	MIMETypes map[string]string

	// DotFiles serves files and folders whose names begin with a dot. Default: they
	// are answered as if they were not there, since such files are rarely meant to be
	// read by others.
	DotFiles bool

	// Cache and Visible are those of the template and of each listed file; see
	// [ResourceTemplate].
	Cache   *CacheHint
	Visible func(*Principal) bool
}

func (o *FilesOptions) name(prefix string) string {
	if o == nil || o.Name == "" {
		return prefix
	}
	return o.Name
}

func (o *FilesOptions) maxBytes() int64 {
	if o == nil || o.MaxBytes <= 0 {
		return 8 << 20
	}
	return o.MaxBytes
}

func (o *FilesOptions) maxListed() int {
	if o == nil || o.MaxListed <= 0 {
		return 10_000
	}
	return o.MaxListed
}

func (o *FilesOptions) dotFiles() bool { return o != nil && o.DotFiles }

// Files are the files below a folder as resources, made by [Server.AddFiles].
type Files struct {
	server *Server
	prefix string
	root   *os.Root
	opts   *FilesOptions // a copy, or nil

	mu     sync.Mutex
	listed map[string]fs.FileInfo // by uri: what List has registered
}

// AddFiles serves the files below root as resources: prefix, which ends with "/", and
// behind it the path with its segments percent-encoded, as in file:///docs/a%20b.txt.
// It registers the template of such uris; [Files.List] puts the files into the list of
// resources, too. The caller closes root when the server no longer serves.
//
// Nothing outside of root can be read. A uri is answered as not found, without a word
// on the reason, when its path has a segment that is empty, "." or "..", a backslash or
// a control character, or spells a dot, slash or backslash percent-encoded; when any
// part of it is a symbolic link, wherever it leads; and when it names anything but a
// regular file (2026-07-28 server/resources, Security Considerations).
//
// A file with a textual type, or an extension that is not known, is sent as text when
// it is UTF-8, and as base64 otherwise. Like [Server.AddTool], AddFiles panics when
// the arguments cannot be right.
func (s *Server) AddFiles(prefix string, root *os.Root, o *FilesOptions) *Files {
	switch {
	case root == nil:
		panic("mcp: AddFiles: the root is nil")
	case checkURI(prefix) != nil:
		panic(fmt.Sprintf("mcp: AddFiles: prefix %q: %v", prefix, checkURI(prefix)))
	case !strings.HasSuffix(prefix, "/"):
		panic(fmt.Sprintf("mcp: AddFiles: prefix %q must end with /", prefix))
	}
	f := &Files{server: s, prefix: prefix, root: root, listed: make(map[string]fs.FileInfo)}
	t := ResourceTemplate{URITemplate: prefix + "{+path}", Name: o.name(prefix)}
	if o != nil {
		opts := *o
		f.opts = &opts
		t.Title, t.Description, t.Cache, t.Visible = o.Title, o.Description, o.Cache, o.Visible
	}
	s.AddResourceTemplate(t, f.read)
	return f
}

// read is the handler of the template and of the listed files.
func (f *Files) read(_ context.Context, c *Call) ([]ResourceContents, error) {
	path, ok := f.path(c.URI())
	if !ok {
		return nil, ErrResourceNotFound
	}
	file, err := f.open(path)
	if err != nil {
		// The client cannot tell a file that must not be read from one that is not
		// there.
		c.Logger().Debug("a file is not served", "path", path, "error", err)
		return nil, ErrResourceNotFound
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, f.opts.maxBytes()+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > f.opts.maxBytes() {
		return nil, jsonrpc.Errorf(jsonrpc.InternalError, "The resource is larger than the %d bytes that this server reads at once", f.opts.maxBytes())
	}
	return []ResourceContents{f.contents(c.URI(), path, content)}, nil
}

// contents is a file's content as what it is: text when its type is textual or not
// known and it is UTF-8, bytes otherwise.
func (f *Files) contents(uri, path string, content []byte) ResourceContents {
	mimeType := f.mimeType(path)
	text := utf8.Valid(content)
	switch {
	case mimeType != "":
		text = text && isTextual(mimeType)
	case text && bytes.IndexByte(content, 0) < 0:
		mimeType = "text/plain"
	default:
		text, mimeType = false, "application/octet-stream"
	}
	if text {
		return &TextResource{URI: uri, MIMEType: mimeType, Text: string(content)}
	}
	return &BlobResource{URI: uri, MIMEType: mimeType, Blob: content}
}

// path is the path below the root that a uri stands for, with slashes.
func (f *Files) path(uri string) (path string, ok bool) {
	rest, ok := strings.CutPrefix(uri, f.prefix)
	if !ok || strings.ContainsAny(rest, "?#") {
		return "", false
	}
	// No segment needs these encoded, so whoever writes them means something else.
	folded := strings.ToLower(rest)
	for _, encoded := range []string{"%2e", "%2f", "%5c"} {
		if strings.Contains(folded, encoded) {
			return "", false
		}
	}
	path, ok = uritemplate.Unescape(rest)
	return path, ok && f.serves(path)
}

// serves reports whether path may name a file that is served, there or not.
func (f *Files) serves(path string) bool {
	if !fs.ValidPath(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return false
	}
	if strings.IndexByte(path, '\\') >= 0 || strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r == 0x7F }) >= 0 {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || strings.HasPrefix(segment, ".") && !f.opts.dotFiles() {
			return false
		}
	}
	return true
}

// open opens a regular file that no symbolic link leads to. What is looked at first
// could be exchanged before it is opened; so what was opened must be the same file. In
// no case does the root let anything outside of it be opened.
func (f *Files) open(path string) (*os.File, error) {
	var last fs.FileInfo
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		info, err := f.root.Lstat(filepath.FromSlash(path[:i]))
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, errors.New("a symbolic link")
		}
		last = info
	}
	if !last.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	file, err := f.root.OpenFile(filepath.FromSlash(path), os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	// A number of a file that has gone may be that of a pipe by now.
	if info, err := file.Stat(); err != nil || !os.SameFile(info, last) || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.New("it was exchanged meanwhile")
	}
	return file, nil
}
