// Package eras tests that a client speaks to each fixture of this project in every era that it
// may be told to speak, over each transport: what it calls, what it is asked, what it is told.
package eras
