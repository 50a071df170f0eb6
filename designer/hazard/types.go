package hazard

import "strings"

// splitTypes cuts a list of types at the commas outside parentheses and quotes.
func splitTypes(s string) []string {
	var out []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(s[min(start, len(s)):]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// inside gives what a wrapper type wraps: inside("Nullable(X)", "Nullable") is X.
func inside(typ, wrapper string) (string, bool) {
	rest, ok := strings.CutPrefix(typ, wrapper+"(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return typ, false
	}
	return strings.TrimSuffix(rest, ")"), true
}

// plainType takes LowCardinality, Nullable and SimpleAggregateFunction off.
func plainType(typ string) string {
	typ, _ = inside(typ, "LowCardinality")
	if _, t := simpleFunction(typ); t != "" {
		typ = t
	}
	typ, _ = inside(typ, "LowCardinality")
	typ, _ = inside(typ, "Nullable")
	return typ
}

func isNullable(typ string) bool {
	typ, _ = inside(typ, "LowCardinality")
	if _, t := simpleFunction(typ); t != "" {
		typ = t
	}
	return strings.HasPrefix(typ, "Nullable(")
}

func isNumeric(typ string) bool {
	t := plainType(typ)
	return isInteger(t) || isFloat(t) || strings.HasPrefix(t, "Decimal")
}

func isInteger(typ string) bool {
	t := plainType(typ)
	return strings.HasPrefix(t, "UInt") || strings.HasPrefix(t, "Int") && !strings.HasPrefix(t, "Interval")
}

func isUnsigned(typ string) bool { return strings.HasPrefix(plainType(typ), "UInt") }
func isFloat(typ string) bool {
	return strings.HasPrefix(plainType(typ), "Float") || plainType(typ) == "BFloat16"
}

func isText(typ string) bool {
	t := plainType(typ)
	return t == "String" || strings.HasPrefix(t, "FixedString")
}

func isDateTime(typ string) bool { return strings.HasPrefix(plainType(typ), "DateTime") }

func isTime(typ string) bool { return strings.HasPrefix(plainType(typ), "Date") }

// zoneOf gives the time zone in a DateTime type; ok is false for a type without one.
func zoneOf(typ string) (zone string, ok bool) {
	t := plainType(typ)
	i := strings.IndexByte(t, '\'')
	if !isDateTime(t) || i < 0 {
		return "", false
	}
	return strings.TrimRight(t[i+1:], "')"), true
}

// narrow tells whether a sum of many such values does not fit the type.
func narrow(typ string) bool {
	switch t := plainType(typ); {
	case contains(strings.Fields("UInt8 UInt16 UInt32 Int8 Int16 Int32 Float32 BFloat16 Decimal32 Decimal64"), t):
		return true
	case strings.HasPrefix(t, "Decimal32(") || strings.HasPrefix(t, "Decimal64("):
		return true
	case strings.HasPrefix(t, "Decimal("):
		inner, _ := inside(t, "Decimal")
		digits := splitTypes(inner)
		return len(digits) > 0 && len(digits[0]) < 3 && digits[0] <= "18" && len(digits[0]) == 2 || len(digits) > 0 && len(digits[0]) == 1
	}
	return false
}

// typeOf infers an expression's type from its columns' types; "" where it is not sure.
func typeOf(e *Expr, of func(string) string) string {
	switch {
	case e == nil:
		return ""
	case e.kind == columnExpr:
		return of(e.name)
	case e.kind == literalExpr && e.text:
		return "String"
	case e.kind != callExpr:
		return ""
	}
	if t, ok := fixedTypes[e.name]; ok {
		return inZone(t, zoneText(e, of))
	}
	return inZone(callType(e, of), lastText(e))
}

// inZone puts a time zone into a DateTime type that has none.
func inZone(typ, zone string) string {
	if zone == "" || !isDateTime(typ) {
		return typ
	}
	if i, j := strings.IndexByte(typ, '('), strings.LastIndexByte(typ, ')'); i > 0 && j > i && strings.HasPrefix(typ, "DateTime64") {
		return "DateTime64(" + splitTypes(typ[i+1 : j])[0] + ", '" + zone + "')"
	}
	return "DateTime('" + zone + "')"
}

// zoneText finds the zone a conversion is given, or keeps from its argument.
func zoneText(e *Expr, of func(string) string) string {
	at, ok := zoneArgument[e.name]
	if !ok {
		return ""
	}
	if at < len(e.args) && e.args[at].kind == literalExpr && e.args[at].text {
		return e.args[at].name
	}
	if len(e.args) > 0 && strings.HasPrefix(e.name, "toDateTime") {
		zone, _ := zoneOf(typeOf(e.args[0], of))
		return zone
	}
	return ""
}

// lastText gives the last argument of a time function if it names a zone.
func lastText(e *Expr) string {
	if n := len(e.args); n > 1 && strings.HasPrefix(e.name, "toStartOf") && e.args[n-1].kind == literalExpr && e.args[n-1].text {
		return e.args[n-1].name
	}
	return ""
}

// fixedTypes are functions whose type does not depend on their arguments.
var fixedTypes = map[string]string{
	"count": "UInt64", "toString": "String", "lower": "String", "upper": "String", "trim": "String", "substring": "String", "concat": "String",
	"JSONExtractString": "String", "JSONExtractRaw": "String", "extract": "String", "domain": "String", "path": "String", "splitByChar": "Array(String)",
	"splitByString": "Array(String)", "trimBoth": "String", "replaceAll": "String", "replaceRegexpAll": "String", "simpleJSONExtractString": "String", "visitParamExtractString": "String",
	"JSON_VALUE": "String", "extractURLParameter": "String", "left": "String", "right": "String", "toDate": "Date", "toDate32": "Date32", "toMonday": "Date",
	"toStartOfMonth": "Date", "toStartOfYear": "Date", "toStartOfQuarter": "Date", "toStartOfWeek": "Date", "toYYYYMM": "UInt32", "toYYYYMMDD": "UInt32",
	"toUInt8": "UInt8", "toUInt16": "UInt16", "toUInt32": "UInt32", "toUInt64": "UInt64", "toInt8": "Int8", "toInt16": "Int16", "toInt32": "Int32", "toInt64": "Int64",
	"toFloat32": "Float32", "toFloat64": "Float64", "uniq": "UInt64", "uniqExact": "UInt64", "avg": "Float64", "equals": "UInt8", "notEquals": "UInt8", "less": "UInt8",
	"greater": "UInt8", "lessOrEquals": "UInt8", "greaterOrEquals": "UInt8", "and": "UInt8", "or": "UInt8", "not": "UInt8", "in": "UInt8", "notIn": "UInt8",
	"now": "DateTime", "now64": "DateTime64(3)", "today": "Date", "yesterday": "Date",
	"fromUnixTimestamp": "DateTime", "fromUnixTimestamp64Second": "DateTime64(0)", "fromUnixTimestamp64Milli": "DateTime64(3)", "fromUnixTimestamp64Micro": "DateTime64(6)", "fromUnixTimestamp64Nano": "DateTime64(9)",
	"snowflakeToDateTime": "DateTime", "snowflakeToDateTime64": "DateTime64(3)", "snowflakeIDToDateTime": "DateTime", "snowflakeIDToDateTime64": "DateTime64(3)", "UUIDv7ToDateTime": "DateTime64(3)",
	"parseDateTime": "DateTime", "parseDateTimeBestEffort": "DateTime", "parseDateTimeBestEffortOrNull": "Nullable(DateTime)", "parseDateTimeBestEffortOrZero": "DateTime",
	"parseDateTime64BestEffort": "DateTime64(3)", "parseDateTime64BestEffortOrNull": "Nullable(DateTime64(3))", "parseDateTime64BestEffortOrZero": "DateTime64(3)",
	"toDateTime": "DateTime", "toDateTime64": "DateTime64(3)", "toDateTimeOrNull": "Nullable(DateTime)", "toDateTimeOrZero": "DateTime", "toTimeZone": "DateTime", "toTimezone": "DateTime",
}

// zoneArgument is where a function takes the zone of its result.
var zoneArgument = map[string]int{
	"toDateTime": 1, "toDateTime64": 2, "toTimeZone": 1, "toTimezone": 1, "toDateTimeOrNull": 1, "toDateTimeOrZero": 1, "now": 0, "now64": 1,
	"fromUnixTimestamp": 1, "fromUnixTimestamp64Second": 1, "fromUnixTimestamp64Milli": 1, "fromUnixTimestamp64Micro": 1, "fromUnixTimestamp64Nano": 1,
	"snowflakeToDateTime": 1, "snowflakeToDateTime64": 1, "snowflakeIDToDateTime": 2, "snowflakeIDToDateTime64": 2, "UUIDv7ToDateTime": 1,
	"parseDateTime": 2, "parseDateTimeBestEffort": 1, "parseDateTimeBestEffortOrNull": 1, "parseDateTimeBestEffortOrZero": 1,
	"parseDateTime64BestEffort": 2, "parseDateTime64BestEffortOrNull": 2, "parseDateTime64BestEffortOrZero": 2,
}

// callType infers the type of a call whose type follows its arguments.
func callType(e *Expr, of func(string) string) string {
	first := ""
	if len(e.args) > 0 {
		first = typeOf(e.args[0], of)
	}
	switch e.name {
	case "CAST", "accurateCast":
		if len(e.args) == 2 && e.args[1].text {
			return e.args[1].name
		}
	case "plus", "minus":
		if isTime(first) {
			return first
		}
		if len(e.args) == 2 && isTime(typeOf(e.args[1], of)) {
			return typeOf(e.args[1], of)
		}
		return numberType(e, of)
	case "multiply", "negate", "abs":
		return numberType(e, of)
	case "divide":
		return "Float64"
	case "assumeNotNull":
		t, _ := inside(first, "Nullable")
		return t
	case "ifNull", "coalesce", "nullIf":
		if len(e.args) > 1 && e.name != "nullIf" && !isNullable(typeOf(e.args[len(e.args)-1], of)) {
			t, _ := inside(first, "Nullable")
			return t
		}
		return first
	case "toNullable":
		return "Nullable(" + first + ")"
	case "if":
		if len(e.args) == 3 {
			return typeOf(e.args[1], of)
		}
	case "arrayElement":
		return elementType(first)
	case "tuple":
		var parts []string
		for _, a := range e.args {
			parts = append(parts, typeOf(a, of))
		}
		return "Tuple(" + strings.Join(parts, ", ") + ")"
	case "min", "max", "any", "anyLast", "argMax", "argMin", "toStartOfHour", "toStartOfMinute", "toStartOfInterval", "toStartOfFiveMinutes", "toStartOfDay", "toStartOfFifteenMinutes",
		"addDays", "subtractDays", "addHours", "subtractHours", "addMinutes", "subtractMinutes", "addSeconds", "subtractSeconds", "dateTrunc", "greatest", "least":
		return first
	}
	return ""
}

// elementType is the type of an element of an array or a value of a map.
func elementType(typ string) string {
	if t, ok := inside(typ, "Array"); ok {
		return t
	}
	if t, ok := inside(typ, "Map"); ok {
		if kv := splitTypes(t); len(kv) == 2 {
			return kv[1]
		}
	}
	return ""
}

// numberType is Float where an argument is, signed where one is, else wide unsigned.
func numberType(e *Expr, of func(string) string) string {
	signed := e.name == "minus" || e.name == "negate"
	for _, a := range e.args {
		t := plainType(typeOf(a, of))
		switch {
		case isFloat(t):
			return "Float64"
		case strings.HasPrefix(t, "Decimal"):
			return "Decimal(38, 0)"
		case strings.HasPrefix(t, "Int") || a.kind == literalExpr && strings.HasPrefix(a.name, "-"):
			signed = true
		case t == "" && a.kind != literalExpr:
			return ""
		}
	}
	return pick(signed, "Int64", "UInt64")
}
