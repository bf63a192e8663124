extends RefCounted
# Writes and reads JSON. The engine's own writer passes numbers that are not finite and control characters on as they
# are, which is no JSON, and its reader has no bound on depth in every version, so that a hostile answer could end the
# game.

const MOST_DEPTH := 64


# The JSON of a value; "" if it has a part that JSON does not know, or is nested too deep.
static func write(value, depth := 0) -> String:
	if depth > MOST_DEPTH:
		return ""
	if value == null:
		return "null"
	if value is bool:
		return "true" if value else "false"
	if value is int:
		return str(value)
	if value is float:
		return "" if is_nan(value) or is_inf(value) else _number(value)
	if value is String or value is StringName:
		return quote(str(value))
	if value is Dictionary:
		return _write_object(value, depth)
	if value is Array:
		return _write_array(value, depth)
	return ""


static func quote(text: String) -> String:
	var escaped := text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t")
	for code in range(1, 32):
		var each := char(code)
		# Rare: one search each is cheaper than a walk through the text.
		if escaped.find(each) >= 0:
			escaped = escaped.replace(each, "\\u%04x" % code)
	return "\"" + escaped + "\""


# The value; null if the text is no JSON, or is nested too deep. The text `null` gives null, too.
static func read(text: String) -> Variant:
	if not _is_flat(text):
		return null
	# Unlike JSON.parse_string this writes nothing to the game's log.
	var json := JSON.new()
	return json.data if json.parse(text) == OK else null


# The object that the text is; an empty one if it is none.
static func read_object(text: String) -> Dictionary:
	var value: Variant = read(text)
	return value if value is Dictionary else {}


static func _number(value: float) -> String:
	var whole := int(value)
	# As a whole number where it is one: 4.0 would be another value for a receiver that tells them apart.
	if float(whole) == value and abs(value) < 9007199254740992.0:
		return str(whole)
	var short := str(value)
	return short if short.to_float() == value else JSON.stringify(value, "", false, true)


static func _write_object(value: Dictionary, depth: int) -> String:
	var text := ""
	for key in value:
		if not (key is String or key is StringName):
			return ""
		var written = write(value[key], depth + 1)
		if written == "":
			return ""
		text += ("," if text != "" else "") + quote(str(key)) + ":" + written
	return "{" + text + "}"


static func _write_array(value: Array, depth: int) -> String:
	var text := ""
	for item in value:
		var written = write(item, depth + 1)
		if written == "":
			return ""
		text += ("," if text != "" else "") + written
	return "[" + text + "]"


# Whether brackets are nested at most as deep as allowed. Without texts and everything else, each round takes the
# innermost pairs away.
static func _is_flat(text: String) -> bool:
	var pattern := RegEx.new()
	pattern.compile("\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[^\\[\\]{}\"]++")
	var brackets: String = pattern.sub(text, "", true)
	for _depth in range(MOST_DEPTH + 1):
		if brackets == "":
			return true
		brackets = brackets.replace("[]", "").replace("{}", "")
	return false
