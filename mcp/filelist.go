package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"isthmus.internal/mcp/uritemplate"
)

// List registers each file that is served now as a resource, with its size and the
// time of its last change, in the order of their paths. Files that an earlier call has
// registered and that have gone, or changed, are taken away, or registered anew, and who
// has subscribed to a changed one is told; so call it again when files have changed. A
// uri that the program has registered itself stays as it is. Calls wait for each other, so
// a [Bus] must not call it from Publish.
//
// The error joins what could not be read, by path, and says when there were more files
// than [FilesOptions.MaxListed]. All the others are registered nevertheless.
func (f *Files) List() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, err := f.walk()
	var changed []string
	for _, uri := range slices.Sorted(maps.Keys(f.listed)) {
		if now, ok := found[uri]; !ok || !sameState(now.info, f.listed[uri]) {
			f.server.RemoveResource(uri)
			delete(f.listed, uri)
			changed = append(changed, uri)
		}
	}
	for _, uri := range slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return strings.Compare(found[a].path, found[b].path)
	}) {
		file := found[uri]
		if _, ok := f.listed[uri]; !ok && f.register(uri, file) {
			f.listed[uri] = file.info
		}
	}
	for _, uri := range changed {
		f.server.ResourceUpdated(uri)
	}
	return err
}

// listedFile is a file that a walk has found.
type listedFile struct {
	path string
	info fs.FileInfo
}

func sameState(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

// walk finds the files that are served, by uri.
func (f *Files) walk() (map[string]listedFile, error) {
	found := make(map[string]listedFile)
	var faults []error
	err := fs.WalkDir(f.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("mcp: listing files: %w", err))
			return nil
		case path == ".":
			return nil
		case !f.serves(path):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil // it has gone meanwhile
		}
		if len(found) == f.opts.maxListed() {
			faults = append(faults, fmt.Errorf("mcp: listing files: there are more than %d; MaxListed can be raised", len(found)))
			return fs.SkipAll
		}
		found[f.uri(path)] = listedFile{path, info}
		return nil
	})
	return found, errors.Join(append(faults, err)...)
}

// uri is the uri of the file with that path.
func (f *Files) uri(path string) string {
	uri := []byte(strings.TrimSuffix(f.prefix, "/"))
	for segment := range strings.SplitSeq(path, "/") {
		uri = append(uri, '/')
		uri = uritemplate.AppendEscaped(uri, segment)
	}
	return string(uri)
}

// register reports false when the uri is taken.
func (f *Files) register(uri string, file listedFile) bool {
	size := file.info.Size()
	r := Resource{URI: uri, Name: file.path, MIMEType: f.mimeType(file.path), Size: &size,
		Annotations: &Annotations{LastModified: file.info.ModTime()}}
	if f.opts != nil {
		r.Cache, r.Visible = f.opts.Cache, f.opts.Visible
	}
	return f.server.addResource(&resource{Resource: r, handler: f.read})
}

// mimeType is the media type by the extension of path, "" when it is not known.
func (f *Files) mimeType(name string) string {
	extension := strings.ToLower(path.Ext(name))
	if f.opts != nil {
		if known, ok := f.opts.MIMETypes[extension]; ok {
			return known
		}
	}
	return mimeTypes[extension]
}
