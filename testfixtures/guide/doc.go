// Package guide is the code of docs/guide.md: each section shows one file, all that
// stands behind its imports. The tests run what the sections say, in every revision.
package guide
