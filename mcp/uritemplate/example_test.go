package uritemplate_test

import (
	"fmt"

	"isthmus.internal/mcp/uritemplate"
)

func Example() {
	template, err := uritemplate.Parse("docs://{area}{/path*}{?lang}")
	if err != nil {
		fmt.Println(err)
		return
	}
	uri, _ := template.Expand(uritemplate.Values{
		"area": uritemplate.Text("user guide"), "path": uritemplate.List("server", "tools"),
	})
	fmt.Println(uri)

	matcher, err := template.Matcher()
	if err != nil {
		fmt.Println(err)
		return
	}
	values, ok := matcher.Match(uri)
	fmt.Println(ok, values["area"].Text(), values["path"].List(), values["lang"].Defined())
	// Output:
	// docs://user%20guide/server/tools
	// true user guide [server tools] false
}

// A template whose values could not be told apart is refused, with the reason.
func ExampleTemplate_Matcher() {
	template, _ := uritemplate.Parse("res://{a}{b}")
	_, err := template.Matcher()
	fmt.Println(err)
	// Output: {a} cannot be matched: {b} follows directly, so where one ends and the other begins is not defined
}
