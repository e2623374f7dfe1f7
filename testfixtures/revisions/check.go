package revisions

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// decode reads one JSON value. Numbers keep their digits.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text behind the value")
	}
	return v, nil
}

// Check holds a message of a server against a revision. method is that of the request
// that a response answers; it may be "" for an error. The faults name the place and what
// should stand there; none means that the message may be sent.
func Check(revision, method string, line []byte) []string {
	v, err := decode(line)
	if err != nil {
		return []string{"not JSON: " + err.Error()}
	}
	message, ok := v.(map[string]any)
	if !ok {
		return []string{"message: must be an object"}
	}
	c := checker{revision: revision}
	_, isRequest := message["id"]
	switch {
	case message["method"] != nil && isRequest:
		c.checkRequest(message)
	case message["method"] != nil:
		c.checkNotification(message)
	case message["error"] != nil:
		c.check("message", "JSONRPCErrorResponse", v)
		c.checkError(message["error"])
	default:
		c.check("message", "JSONRPCResultResponse", v)
		c.checkResult(method, message["result"])
	}
	return c.faults
}

// checkNotification holds a notification against what the revision has.
func (c *checker) checkNotification(message map[string]any) {
	c.check("message", "JSONRPCNotification", message)
	name, _ := message["method"].(string)
	n, ok := notices[name]
	if !ok || c.revision < n.since || n.until != "" && c.revision > n.until {
		c.fail("message.method", "one of the notifications of "+c.revision+", not "+name)
		return
	}
	if params, there := message["params"]; there || n.is != "Changed" || c.revision >= modern {
		c.check("message.params", n.is, params)
	}
}

// checkResult holds a result against what the method gives. From 2026-07-28 on three of
// them may ask in place of that (2026-07-28 basic/patterns/mrtr, Supported Requests).
func (c *checker) checkResult(method string, v any) {
	is, ok := results[method]
	if !ok {
		c.fail("message", "an error, as nothing has the method "+method)
		return
	}
	result, _ := v.(map[string]any)
	mayAsk := slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, method)
	if c.revision >= modern && mayAsk && result["resultType"] == "input_required" {
		is = "InputRequiredResult"
		if result["inputRequests"] == nil && result["requestState"] == nil {
			c.fail("message.result", "with inputRequests or requestState, or with both")
		}
	}
	c.check("message.result", is, v)
}

// checkError holds the code of an error, and what belongs to it, against what the revision
// has beside the five codes of JSON-RPC.
func (c *checker) checkError(v any) {
	e, _ := v.(map[string]any)
	code := fmt.Sprint(e["code"])
	switch {
	case slices.Contains([]string{"-32700", "-32600", "-32601", "-32602", "-32603"}, code):
	case code == "-32002" && c.revision < modern:
	case code == "-32020" && c.revision >= modern: // over HTTP
	case code == "-32021" && c.revision >= modern:
		c.check("message.error.data", "CapabilityData", e["data"])
	case code == "-32022" && c.revision >= modern:
		c.check("message.error.data", "VersionData", e["data"])
	default:
		c.fail("message.error.code", "one of the codes of "+c.revision+", not "+code)
	}
}

// checker collects the faults of one message.
type checker struct {
	revision string
	faults   []string
}

func (c *checker) fail(at, want string) { c.faults = append(c.faults, at+": must be "+want) }

// check checks a value against a kind: see kinds, a name of shapes, []KIND for an array,
// or KIND|KIND for one of several.
func (c *checker) check(at, kind string, v any) {
	if element, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			c.fail(at, "an array")
		}
		for i, e := range list {
			c.check(fmt.Sprintf("%s[%d]", at, i), element, e)
		}
		return
	}
	switch kind {
	case "Asks":
		c.checkAsks(at, v)
		return
	case "Blocks":
		c.check(at, "[]"+blocks, v)
		return
	}
	if options := strings.Split(kind, "|"); len(options) > 1 {
		c.checkOptions(at, kind, options, v)
		return
	}
	if s, ok := shapes[kind]; ok {
		c.checkShape(at, s, v)
		return
	}
	if !kinds(kind, v) {
		c.fail(at, kind)
	}
}

// checkOptions looks for the option that v is meant to be: the one that leaves the fewest
// faults.
func (c *checker) checkOptions(at, kind string, options []string, v any) {
	var best []string
	for i, option := range options {
		try := checker{revision: c.revision}
		try.check(at, option, v)
		if i == 0 || len(try.faults) < len(best) {
			best = try.faults
		}
		if len(best) == 0 {
			return
		}
	}
	c.faults = append(append(c.faults, at+": must be "+kind), best...)
}

func (c *checker) checkShape(at string, s shape, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		c.fail(at, "an object")
		return
	}
	known := map[string]bool{}
	for _, m := range s.members {
		if c.revision < m.since || m.until != "" && c.revision > m.until {
			continue
		}
		known[m.name] = true
		value, there := object[m.name]
		switch {
		case there:
			c.check(at+"."+m.name, m.is, value)
		case m.need != "" && m.need <= c.revision:
			c.fail(at+"."+m.name, "there")
		}
	}
	if s.open {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !known[name] {
			c.fail(at+"."+name, "left out, as "+c.revision+" does not know it")
		}
	}
}

// uri is a uri by its letters alone (RFC 3986, section 2), and template a template of one
// (RFC 6570, section 2).
var (
	uri      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(` + uriLetter + `)*$`)
	template = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(` + uriLetter + `|\{[+#./;?&]?` + varspec + `(,` + varspec + `)*\})*$`)
)

const (
	uriLetter = `[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2}`
	varspec   = `\w+(\.\w+)*(:[1-9]\d{0,3}|\*)?`
)

// kinds reports whether v is of a kind that is no shape. A kind in quotes is a text of
// exactly these letters.
func kinds(kind string, v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	object, isObject := v.(map[string]any)
	_, isBool := v.(bool)
	integer := isNumber && !strings.ContainsAny(string(number), ".eE")
	switch kind {
	case "any":
		return true
	case "string":
		return isText
	case "boolean":
		return isBool
	case "number":
		return isNumber
	case "integer":
		return integer
	case "count":
		return integer && number[0] != '-'
	case "fraction":
		f, err := number.Float64()
		return isNumber && err == nil && 0 <= f && f <= 1
	case "id":
		return isText || integer
	case "object":
		return isObject
	case "objects":
		for _, value := range object {
			if _, ok := value.(map[string]any); !ok {
				return false
			}
		}
		return isObject
	case "uri":
		return uri.MatchString(text)
	case "template":
		return template.MatchString(text)
	case "base64":
		_, err := base64.StdEncoding.Strict().DecodeString(text)
		return isText && err == nil
	}
	return isText && kind == `"`+text+`"`
}

// ResultOf names the definition of the results of a method, "" when it is not known.
func ResultOf(method string) string { return results[method] }

// Shapes returns the names of the objects that are known, sorted.
func Shapes() []string { return slices.Sorted(maps.Keys(shapes)) }

// Members returns the members that a shape has in a revision, and those that it requires.
func Members(name, revision string) (known, needed []string) {
	for _, m := range shapes[name].members {
		if revision < m.since || m.until != "" && revision > m.until {
			continue
		}
		known = append(known, m.name)
		if m.need != "" && m.need <= revision {
			needed = append(needed, m.name)
		}
	}
	return known, needed
}
