package mcp

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// mimeTypes are media types by extension: what servers serve most. Package mime would
// read tables of the system, so that one program told different types on different
// machines.
var mimeTypes = map[string]string{
	".txt": "text/plain", ".text": "text/plain", ".log": "text/plain", ".md": "text/markdown", ".markdown": "text/markdown",
	".html": "text/html", ".htm": "text/html", ".css": "text/css", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".js": "text/javascript", ".mjs": "text/javascript", ".go": "text/x-go", ".py": "text/x-python", ".sh": "text/x-shellscript",
	".c": "text/x-c", ".h": "text/x-c", ".rs": "text/x-rust", ".java": "text/x-java", ".ts": "text/x-typescript", ".diff": "text/x-diff",
	".json": "application/json", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".toml": "application/toml", ".sql": "application/sql", ".pdf": "application/pdf", ".zip": "application/zip",
	".gz": "application/gzip", ".tar": "application/x-tar", ".wasm": "application/wasm",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".avif": "image/avif", ".svg": "image/svg+xml", ".ico": "image/vnd.microsoft.icon",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac",
	".mp4": "video/mp4", ".webm": "video/webm", ".woff2": "font/woff2",
}

// isTextual reports whether what has this media type is text for people or programs.
func isTextual(mimeType string) bool {
	mimeType, _, _ = strings.Cut(mimeType, ";")
	mimeType = strings.ToLower(strings.TrimSpace(mimeType))
	switch mimeType {
	case "application/json", "application/xml", "application/yaml", "application/toml", "application/sql", "application/javascript":
		return true
	}
	return strings.HasPrefix(mimeType, "text/") || strings.HasSuffix(mimeType, "+json") || strings.HasSuffix(mimeType, "+xml")
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
