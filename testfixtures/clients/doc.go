// Package clients tests [isthmus.internal/mcp.Client] from outside: what a program sees that
// calls a server of this project, in every revision and over every transport.
package clients
