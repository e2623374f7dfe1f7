// Package outside is for commands that have programs of others, installed by npm below
// bin/, try out a fixture server or a client of this tree: it finds what is installed, runs the
// server, takes the runs, and holds a page of the docs to the table that came out.
package outside
