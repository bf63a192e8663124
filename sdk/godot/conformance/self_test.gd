extends RefCounted
# What a scenario cannot pass in, because JSON has no form for it. Ends the program when it fails.

const JsonText = preload("res://addons/player_analytics/core/json_text.gd")
const Times = preload("res://addons/player_analytics/core/times.gd")


static func run() -> void:
	var itself := {}
	itself["self"] = itself
	for value: Variant in [NAN, INF, -INF, Vector2.ZERO, RefCounted.new(), itself, {1: 2}, Callable()]:
		_expect(JsonText.write({"value": value}) == "", "a value that JSON does not know")
	itself.clear()
	var good := {"text": "ä\u0001\u001f\t\"\\%s/", "numbers": [1, 2.5, -0.0, 4.0, 1e300, 9007199254740993], "name": &"x"}
	var text := JsonText.write(good)
	_expect(text.contains("ä\\u0001\\u001f\\t\\\"\\\\%s/"), "escapes: " + text)
	_expect(text.contains("[1,2.5,0,4,"), "numbers: " + text)
	_expect(JsonText.read_object(text)["text"] == good["text"], "it cannot be read back: " + text)
	_expect(JsonText.read("[".repeat(64) + "]".repeat(64)) is Array, "a nested list")
	_expect(JsonText.read("[".repeat(66) + "]".repeat(66)) == null, "a list that is nested too deep")
	_expect(JsonText.read("\"[{[{\\\"\"") is String, "brackets in a text")
	_expect(Times.iso(0) == "1970-01-01T00:00:00.000Z", Times.iso(0))
	_expect(Times.iso(1709251199999) == "2024-02-29T23:59:59.999Z", Times.iso(1709251199999))
	_expect(Times.iso(9223372036854775807) == "9999-12-31T00:00:00.000Z", Times.iso(9223372036854775807))
	_expect(Times.parse_iso("2024-02-29T23:59:59.999Z") == 1709251199999, "a time of ISO 8601")
	_expect(Times.parse_iso("2024-02-29") == -1, "half a time")
	_expect(Times.parse_http("Thu, 29 Feb 2024 23:59:59 GMT") == 1709251199000, "a time of HTTP")


static func _expect(is_true: bool, what: String) -> void:
	if is_true:
		return
	printerr("self test: ", what)
	OS.kill(OS.get_process_id())
