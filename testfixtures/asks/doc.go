// Package asks is a server whose tools, prompt and resource ask the client, each in a way
// of its own, for the tests of how that goes in every revision.
package asks
