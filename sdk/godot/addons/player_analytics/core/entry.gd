extends RefCounted
# What the queue holds. Stored as a line of JSON for as long as a device is offline: only ever add members that may be
# absent.

const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")
const Times = preload("times.gd")

# Member names, ids, times and punctuation of an event in a request.
const OVERHEAD_BYTES := 300

# `event`, `state` (changed attributes of the player) or `end` (of a session).
var kind := ""
# Set once; the event_id, so that the service recognises every repeat.
var id := ""
# By the service, or the client's own id while the service has not opened it.
var session := ""
var name := ""
# Milliseconds since 1970: the service's time if corrected, else the device's.
var at_ms := 0
var corrected := false
# Properties or attributes as JSON; empty if there are none.
var json := ""
# Length of the session that ends.
var seconds := 0


# Bytes in a request, from above.
func size() -> int:
	return OVERHEAD_BYTES + name.to_utf8_buffer().size() + json.to_utf8_buffer().size()


# Without the end of the line.
func to_line() -> String:
	var members := {"kind": kind, "id": id, "session": session}
	if kind == "event":
		members["name"] = name
	if kind != "state":
		members["atMs"] = at_ms
		members["corrected"] = corrected
	if kind == "end":
		members["seconds"] = seconds
	else:
		members["json"] = json
	return JsonText.write(members)


# Whether the members are an entry; then this is it.
func read(members: Dictionary) -> bool:
	kind = Fields.text(members, "kind")
	id = Fields.text(members, "id")
	session = Fields.text(members, "session")
	if id == "" or session == "":
		return false
	match kind:
		"event":
			name = Fields.text(members, "name")
			return name != "" and _read_time(members) and _read_json(members, true)
		"state":
			return _read_json(members, false)
		"end":
			seconds = Fields.count(members, "seconds", 9007199254740991)
			return seconds >= 0 and _read_time(members)
	return false


func _read_time(members: Dictionary) -> bool:
	var at: Variant = members.get("atMs")
	var is_corrected: Variant = members.get("corrected")
	if not (at is float or at is int) or not is_corrected is bool:
		return false
	at_ms = Times.clamped(at)
	corrected = is_corrected
	return true


func _read_json(members: Dictionary, may_be_empty: bool) -> bool:
	var text: Variant = members.get("json")
	if not text is String:
		return false
	json = text
	return (may_be_empty and json == "") or JsonText.read(json) is Dictionary
