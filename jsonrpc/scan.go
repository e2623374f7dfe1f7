package jsonrpc

// DefaultDepth is how deep arrays and objects may nest when nothing else is asked
// for. MCP itself needs about ten levels; the rest is for arguments.
const DefaultDepth = 128

// MaxDepth is the deepest nesting that can be asked for, and the point where
// reading stops altogether: every open level costs one bit.
const MaxDepth = 4096

// fault is why a text is not JSON. The words go to the peer.
type fault uint8

const (
	faultNone fault = iota
	faultEnd
	faultByte
	faultTrailing
	faultLiteral
	faultNumber
	faultControl
	faultEscape
	faultUTF8
	faultDepth // JSON for all we know, but not read any further
)

var faultText = [...]string{
	faultEnd:      "unexpected end",
	faultByte:     "unexpected character",
	faultTrailing: "text after the value",
	faultLiteral:  "unknown word",
	faultNumber:   "malformed number",
	faultControl:  "unescaped control character in a string",
	faultEscape:   "unknown escape in a string",
	faultUTF8:     "invalid UTF-8",
	faultDepth:    "too many levels",
}

// cursor walks over a JSON text, strictly (RFC 8259). The first fault sticks: from
// then on no method moves, so a loop over members needs no checks of its own, and
// whoever drives the cursor looks at fault once, at the end.
type cursor struct {
	data  []byte
	pos   int
	level int // arrays and objects that are open at pos
	limit int // deepest level that is allowed
	// tooDeep says that the limit was passed. That alone does not stop the cursor:
	// many peers write the id last, and an answer needs it.
	tooDeep bool
	spaced  bool  // there was space between tokens
	good    bool  // data was found good before: of strings only the end is looked for
	fault   fault // at pos
}

func newCursor(data []byte, depth int) cursor {
	switch {
	case depth <= 0:
		depth = DefaultDepth
	case depth > MaxDepth:
		depth = MaxDepth
	}
	return cursor{data: data, limit: depth}
}

func (c *cursor) fail(f fault) {
	if c.fault == faultNone {
		c.fault = f
	}
}

// peek returns the byte at pos, or 0 at the end, which is no byte of JSON either.
func (c *cursor) peek() byte {
	if c.pos < len(c.data) {
		return c.data[c.pos]
	}
	return 0
}

// failByte notes that the byte at pos may not stand there.
func (c *cursor) failByte() {
	if c.pos < len(c.data) {
		c.fail(faultByte)
	} else {
		c.fail(faultEnd)
	}
}

func (c *cursor) space() {
	if c.pos < len(c.data) && c.data[c.pos] > ' ' {
		return
	}
	for c.pos < len(c.data) && isSpace(c.data[c.pos]) {
		c.pos++
		c.spaced = true
	}
}

// end checks that nothing but space is left.
func (c *cursor) end() {
	if c.fault != faultNone {
		return
	}
	c.space()
	if c.pos < len(c.data) {
		c.fail(faultTrailing)
	}
}

// closerOf returns what closes the array or object that b opens, 0 if b opens none.
func closerOf(b byte) byte {
	switch b {
	case '{':
		return '}'
	case '[':
		return ']'
	}
	return 0
}

// open steps into the array or object at pos. It reports whether a first member
// follows: with false, it was empty and is closed again, or there is a fault.
func (c *cursor) open(closer byte) bool {
	if c.fault != faultNone {
		return false
	}
	if c.level == MaxDepth {
		c.tooDeep = true
		c.fail(faultDepth)
		return false
	}
	c.level++
	c.tooDeep = c.tooDeep || c.level > c.limit
	c.pos++
	c.space()
	if c.peek() == closer {
		c.pos++
		c.level--
		return false
	}
	return true
}

// more steps over what follows a member. It reports whether another one comes:
// with false, the array or object is closed, or there is a fault.
func (c *cursor) more(closer byte) bool {
	if c.fault != faultNone {
		return false
	}
	if i := c.pos; i < len(c.data)-1 && c.data[i] == ',' && c.data[i+1] > ' ' {
		c.pos++ // as usual, without space
		return true
	}
	c.space()
	switch c.peek() {
	case ',':
		c.pos++
		c.space()
		return true
	case closer:
		c.pos++
		c.level--
	default:
		c.failByte()
	}
	return false
}

// name steps over a member's name and the colon, and returns the name decoded. It
// aliases the text unless there are escapes in it.
func (c *cursor) name() []byte {
	name, escaped := c.skipName()
	if escaped {
		return appendUnescaped(make([]byte, 0, len(name)), name)
	}
	return name
}

// skipName is name for those who do not need it decoded. With a fault it is nil.
func (c *cursor) skipName() (name []byte, escaped bool) {
	start := c.pos + 1
	if c.peek() != '"' {
		c.failByte()
		return nil, false
	}
	// The usual name: plain, with the colon and the value right behind it.
	if i := skipPlain(c.data, start); i+2 < len(c.data) && c.data[i] == '"' && c.data[i+1] == ':' && c.data[i+2] > ' ' {
		c.pos = i + 2
		return c.data[start:i:i], false
	}
	end, escaped, f := skipString(c.data, c.pos)
	c.pos = end
	if f != faultNone {
		c.fail(f)
		return nil, false
	}
	c.space()
	if c.peek() != ':' {
		c.failByte()
		return nil, false
	}
	c.pos++
	c.space()
	return c.data[start : end-1 : end-1], escaped
}

// value steps over a value of any kind and returns it; with a fault, as much of it
// as was read.
func (c *cursor) value() Raw {
	start := c.pos
	if c.peek() == '"' && c.fault == faultNone {
		if c.good {
			c.pos = endOfString(c.data, start)
			return c.data[start:c.pos:c.pos]
		}
		if i := skipPlain(c.data, start+1); i < len(c.data) && c.data[i] == '"' {
			c.pos = i + 1 // a plain string, as most values are
			return c.data[start:c.pos:c.pos]
		}
	}
	if closer := closerOf(c.peek()); closer == 0 {
		c.scalar()
	} else if c.open(closer) {
		c.nested(closer)
	}
	return c.data[start:c.pos:c.pos]
}

// nested steps over the members of an array or object that is open and not empty,
// and closes it, however deep they are: each call of itself is good for some levels.
func (c *cursor) nested(closer byte) {
	var open levels
	base := c.level
	open.set(0, closer)
	for {
		if closer == '}' {
			c.skipName()
		}
		if inner := closerOf(c.peek()); inner == 0 {
			c.scalar()
		} else if c.open(inner) {
			if c.level-base == eachNested {
				c.nested(inner)
			} else {
				closer = inner
				open.set(c.level-base, closer)
				continue
			}
		}
		for !c.more(closer) {
			if c.fault != faultNone || c.level < base {
				return
			}
			closer = open.closer(c.level - base)
		}
	}
}

// eachNested is how many levels one call of nested is good for.
const eachNested = 64

// levels holds one bit for each open level: whether it is an object.
type levels uint64

func (l *levels) set(level int, closer byte) {
	bit := levels(1) << level
	*l &^= bit
	if closer == '}' {
		*l |= bit
	}
}

func (l levels) closer(level int) byte {
	if l>>level&1 == 1 {
		return '}'
	}
	return ']'
}

// scalar steps over a string, a number or a word.
func (c *cursor) scalar() {
	if c.fault != faultNone {
		return
	}
	switch b := c.peek(); {
	case b == '"' && !c.good:
		end, _, f := skipString(c.data, c.pos)
		c.pos = end
		c.fail(f)
	case b == '"':
		c.pos = endOfString(c.data, c.pos)
	case b == '-' || isDigit(b):
		c.number()
	case b == 't':
		c.word("true")
	case b == 'f':
		c.word("false")
	case b == 'n':
		c.word("null")
	default:
		c.failByte()
	}
}

func (c *cursor) word(w string) {
	if end := c.pos + len(w); end <= len(c.data) && string(c.data[c.pos:end]) == w {
		c.pos = end
		return
	}
	c.fail(faultLiteral)
}

// number steps over a number. A digit after a leading zero is left for whoever
// comes next to stumble on.
func (c *cursor) number() {
	i := c.pos
	if c.data[i] == '-' {
		i++
	}
	whole := skipDigits(c.data, i)
	if whole > i && c.data[i] == '0' {
		whole = i + 1
	}
	ok := whole > i
	i = whole
	if i < len(c.data) && c.data[i] == '.' {
		i = skipDigits(c.data, i+1)
		ok = ok && i > whole+1
	}
	if i < len(c.data) && c.data[i]|0x20 == 'e' {
		i++
		if i < len(c.data) && (c.data[i] == '+' || c.data[i] == '-') {
			i++
		}
		power := skipDigits(c.data, i)
		ok = ok && power > i
		i = power
	}
	if !ok {
		c.fail(faultNumber)
		return
	}
	c.pos = i
}

func skipDigits(s []byte, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func isDigit(b byte) bool { return b-'0' < 10 }

func isSpace(b byte) bool { return b <= ' ' && (b == ' ' || b == '\t' || b == '\r' || b == '\n') }
