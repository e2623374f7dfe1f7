// Package notes is the fixture with data: a server that holds a few notes, lets
// them be queried with a tool and read as resources. The notes are the same
// three each time, unless another dataset is loaded.
package notes
