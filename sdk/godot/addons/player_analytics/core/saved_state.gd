extends RefCounted
# What a player's client remembers between runs: the player's id, the flags and segments of the last session, and which
# sessions exist.

const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")

# Sessions with events in the queue at the same time; more only if the game was started as often offline.
const REMEMBERED_SESSIONS := 32

var player_id := ""
# By key: `enabled`, `value` (null if the flag serves none), and where the flag has them `variant`, `reason` and `period`.
var flags := {}
var segments: Array = []
# The session of this run: the client's own id and the service's. Not stored.
var own_session := ""
var session := ""

# Ids by the service of sessions by their own id, newest last.
var _opened := {}
# Sessions that the service no longer takes events for, newest last.
var _closed: Array = []
# Own sessions that were played offline and have been recorded.
var _recorded: Array = []


# Whether an id of a session is the client's own; those of the service begin with `ses_`.
static func is_own(id: String) -> bool:
	return id.begins_with("own_")


# What is not readable counts as absent: it can be had again.
func read(text: String) -> void:
	var members: Dictionary = JsonText.read_object(text)
	player_id = Fields.text(members, "playerId")
	flags = flags_of(Fields.object(members, "flags"))
	segments = Fields.texts(members, "segments")
	var opened: Dictionary = Fields.object(members, "opened")
	for own in opened:
		if opened[own] is String:
			_opened[own] = opened[own]
	_closed = Fields.texts(members, "closed")
	_recorded = Fields.texts(members, "recorded")


func to_json() -> String:
	return JsonText.write({
		"playerId": player_id,
		"flags": flags,
		"segments": segments,
		"opened": _opened,
		"closed": _closed,
		"recorded": _recorded,
	})


# The readable ones of an answer's flags.
static func flags_of(members: Dictionary) -> Dictionary:
	var found := {}
	for key in members:
		var flag: Variant = members[key]
		if not flag is Dictionary or not flag.get("enabled") is bool:
			continue
		found[key] = {"enabled": flag["enabled"], "value": flag.get("value")}
		for name: String in ["variant", "reason"]:
			if Fields.text(flag, name) != "":
				found[key][name] = flag[name]
		if flag.get("period") is float or flag.get("period") is int:
			found[key]["period"] = flag["period"]
	return found


func open(own: String, id: String) -> void:
	own_session = own
	session = id
	_opened[own] = id
	if _opened.size() > REMEMBERED_SESSIONS:
		_opened.erase(_opened.keys()[0])


func close(id: String) -> void:
	if session == id:
		session = ""
		own_session = ""
	_closed.erase(id)
	_remember(_closed, id)


func record(own: String) -> void:
	_remember(_recorded, own)


func forget_player() -> void:
	player_id = ""
	session = ""
	own_session = ""


# The service's id of a session; "" if it never opened it.
func server_session(id: String) -> String:
	return _opened.get(id, "") if is_own(id) else id


func is_closed(id: String) -> bool:
	return _closed.has(id)


func is_recorded(own: String) -> bool:
	return _recorded.has(own)


func _remember(list: Array, id: String) -> void:
	list.append(id)
	if list.size() > REMEMBERED_SESSIONS:
		list.pop_front()
