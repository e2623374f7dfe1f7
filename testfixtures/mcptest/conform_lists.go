package mcptest

import (
	"regexp"

	"isthmus.internal/mcp/jsonschema"
)

func (k *kit) listsKeepOrder() {
	k.lists(func(method, _ string) {
		first, second := k.List(method), k.List(method)
		if len(first) != len(second) {
			k.fail("%s lists %d, then %d", method, len(first), len(second))
			return
		}
		for i := range first {
			if string(first[i]) != string(second[i]) {
				k.fail("%s: entry %d is %.200s, then %.200s", method, i, first[i], second[i])
				return
			}
		}
	})
}

// listsAreComplete walks all pages, which [Client.Pages] bounds, and looks for entries
// that come twice.
func (k *kit) listsAreComplete() {
	k.lists(func(method, key string) {
		seen := map[string]bool{}
		for _, page := range k.Pages(method) {
			for _, entry := range Elements(page.At(listed(method))) {
				id := string(At(entry, key))
				if seen[id] {
					k.fail("%s lists %s twice", method, id)
				}
				seen[id] = true
			}
		}
	})
}

func (k *kit) cursorsAreChecked() {
	k.lists(func(method, _ string) {
		for _, cursor := range []string{`"garbage"`, `""`, `7`, `null`} {
			k.refuses(method, `{"cursor":`+cursor+`}`, -32602)
		}
	})
}

// capabilitiesHold asks for each list: it is there if and only if the capability is.
func (k *kit) capabilitiesHold() {
	for _, l := range listMethods {
		if !k.has(l.capability) {
			k.refuses(l.method, "", -32601)
			continue
		}
		if r := k.Request(l.method, ""); r.At(listed(l.method)) == nil {
			k.fail("%s is declared, and %s is answered with %.300s", l.capability, l.method, r)
		}
	}
}

// toolName is 2026-07-28 server/tools, Tool Names.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func (k *kit) toolsCanBeCalled() {
	if !k.has("tools") {
		return
	}
	for _, tool := range k.List("tools/list") {
		name := text(At(tool, "name"))
		if !toolName.MatchString(name) {
			k.fail("a tool is called %q: a name is 1 to 128 of A-Z a-z 0-9 _ - .", name)
		}
		if !At(tool, "inputSchema", "type").Is("object") {
			k.fail(`the input schema of %s is not of the type "object": %.200s`, name, At(tool, "inputSchema"))
		}
		for _, schema := range []string{"inputSchema", "outputSchema"} {
			if s := At(tool, schema); s != nil {
				if _, err := jsonschema.Compile(s, nil); err != nil {
					k.fail("the %s of %s is none: %v", schema, name, err)
				}
			}
		}
	}
}

// mostRead bounds how many resources are read.
const mostRead = 100

func (k *kit) resourcesCanBeRead() {
	if !k.has("resources") {
		return
	}
	for i, resource := range k.List("resources/list") {
		uri := text(At(resource, "uri"))
		if text(At(resource, "name")) == "" {
			k.fail("the resource %s has no name", uri)
		}
		if i >= mostRead {
			continue
		}
		r := k.Read(uri)
		contents := Elements(r.At("contents"))
		if len(contents) == 0 {
			k.fail("%s is listed, and reading it gives %.300s", uri, r)
		}
		for _, c := range contents {
			if text(At(c, "uri")) == "" {
				k.fail("the contents of %s have no uri: %.200s", uri, c)
			}
		}
	}
}

func (k *kit) promptsAreDescribed() {
	if !k.has("prompts") {
		return
	}
	for _, prompt := range k.List("prompts/list") {
		name := text(At(prompt, "name"))
		if name == "" {
			k.fail("a prompt has no name: %.200s", prompt)
		}
		seen := map[string]bool{}
		for _, argument := range Elements(At(prompt, "arguments")) {
			switch a := text(At(argument, "name")); {
			case a == "":
				k.fail("an argument of the prompt %s has no name", name)
			case seen[a]:
				k.fail("the prompt %s has the argument %s twice", name, a)
			default:
				seen[a] = true
			}
		}
	}
}

// changesAreTold asks for all changes that there are, in the way of the era.
func (k *kit) changesAreTold() {
	declares := func(capability, kind string) bool {
		is, _ := At(k.ServerCapabilities(), capability, kind).Bool()
		return is
	}
	can := Filter{Tools: declares("tools", "listChanged"), Prompts: declares("prompts", "listChanged"), Resources: declares("resources", "listChanged")}
	if declares("resources", "subscribe") {
		if all := k.List("resources/list"); len(all) > 0 {
			can.URIs = []string{text(At(all[0], "uri"))}
		}
	}
	wants := Filter{Tools: true, Prompts: true, Resources: true, URIs: can.URIs}
	if fault := k.speak.grants(k, wants, can); fault != "" {
		k.fail("%s", fault)
	}
}
