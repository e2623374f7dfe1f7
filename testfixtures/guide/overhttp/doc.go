// Package overhttp is the code of docs/http.md: each block of code there shows one file, all that
// stands behind its imports.
package overhttp
