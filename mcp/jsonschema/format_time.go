package jsonschema

import "strings"

// isDateTime, isDate and isClock are RFC 3339, section 5.6, with the restrictions of
// section 5.7: months have their days, and a leap second can only end a day in UTC.
func isDateTime(s string) bool {
	const date = len("2006-01-02")
	return len(s) > date && (s[date] == 'T' || s[date] == 't') && isDate(s[:date]) && isClock(s[date+1:])
}

func isDate(s string) bool {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, ok := digitsOf(s[:4])
	month, ok2 := digitsOf(s[5:7])
	day, ok3 := digitsOf(s[8:])
	return ok && ok2 && ok3 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// digitsOf is the value of s, which must be digits alone.
func digitsOf(s string) (int, bool) { return number10(s), isDigits(s) }

func isClock(s string) bool {
	const clock = len("15:04:05")
	if len(s) <= clock || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok := digitsOf(s[:2])
	minute, ok2 := digitsOf(s[3:5])
	second, ok3 := digitsOf(s[6:clock])
	if !ok || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	rest := s[clock:]
	if rest[0] == '.' {
		digits := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0123456789"))
		if digits == 0 {
			return false
		}
		rest = rest[1+digits:]
	}
	offset, ok := offsetOf(rest)
	if !ok {
		return false
	}
	const day = 24 * 60
	return second < 60 || ((hour*60+minute-offset)%day+day)%day == day-1
}

// offsetOf is the minutes that a zone is ahead of UTC.
func offsetOf(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, ok := digitsOf(s[1:3])
	minute, ok2 := digitsOf(s[4:])
	if !ok || !ok2 || hour > 23 || minute > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -hour*60 - minute, true
	}
	return hour*60 + minute, true
}

// isDuration is RFC 3339, appendix A: units in their order, none left out between two.
func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok {
		return false
	}
	if weeks, ok := strings.CutSuffix(rest, "W"); ok {
		return isDigits(weeks)
	}
	date, time, hasTime := strings.Cut(rest, "T")
	if hasTime && !areUnits(time, "HMS") {
		return false
	}
	return areUnits(date, "YMD") || date == "" && hasTime
}

// areUnits reports whether s is one or more of digits and a unit, the units following
// each other as they do in units.
func areUnits(s, units string) bool {
	at := -1
	for s != "" {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if digits == 0 || digits == len(s) {
			return false
		}
		unit := strings.IndexByte(units, s[digits])
		if unit < 0 || at >= 0 && unit != at+1 {
			return false
		}
		at, s = unit, s[digits+1:]
	}
	return at >= 0
}
