// Package cli holds the commands of mcp that speak to a server: discover, tools, call, and
// the like. docs/cli.md shows each of them with what it prints.
//
// A command is a row of the table in cli.go: its name, its flags, and the function that runs
// it. Run reads the arguments (settings.go) and the target (target.go), connects (request.go),
// runs the function, and tells the user of an error what may help. What a server has said is
// printed without control characters (print.go), since it may come from a stranger and goes to
// a terminal. Where it does not, the text of resources and results is written as it came.
//
// What the server asks while a command runs is put to the user on a terminal, answered by the
// flag -answer, or declined (ask.go). How far a call is, and what the server logs, is shown on
// standard error (screen.go), so that standard output holds the result alone.
package cli
