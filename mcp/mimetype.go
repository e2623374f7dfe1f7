package mcp

import (
	"fmt"
	"strings"
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

// isMIMEType reports whether text is a media type: type and subtype, and perhaps
// parameters behind them (RFC 9110, section 8.3.1).
func isMIMEType(text string) bool {
	text, _, _ = strings.Cut(text, ";")
	kind, subtype, ok := strings.Cut(strings.TrimRight(text, " \t"), "/")
	return ok && isToken(kind) && isToken(subtype)
}

// needMIMEType fails where a media type is needed and there is none (2026-07-28
// server/prompts, Image Content, Audio Content and Embedded Resources).
func (w *writer) needMIMEType(what, mimeType string) {
	if !isMIMEType(mimeType) {
		w.fail(fmt.Sprintf(`the MIMEType %q of %s must be a media type, such as "image/png"`, mimeType, what))
	}
}
