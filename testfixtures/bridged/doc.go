// Package bridged tests bridges between clients and servers of every two revisions: each fixture
// behind one has to pass what it passes by itself.
package bridged
