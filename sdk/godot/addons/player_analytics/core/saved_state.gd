extends RefCounted
# What a player's client remembers between runs: the player's id, the flags and segments of the last session, and which
# sessions exist.

const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")
const Times = preload("times.gd")

# Sessions with events in the queue at the same time; more only if the game was started as often offline.
const REMEMBERED_SESSIONS := 32
# The time after which the service ends a silent session, unless it is configured otherwise.
const CONTINUED_MS := 1800000
# How exactly the time is stored at which a session was last known to go on.
const ACTIVE_MS := 60000

var player_id := ""
# By key: `enabled`, `value` (null if the flag serves none), and where the flag has them `variant`, `reason` and `period`.
var flags := {}
var segments: Array = []
# The session that is played: the client's own id and the service's, once it has opened it.
var own_session := ""
var session := ""
# When it began, by the device's clock.
var since_ms := 0

var _active_ms := 0
# What `init` sends: another build, or other flags, begin another session.
var _fields := ""
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
	var played: Dictionary = Fields.object(members, "session")
	own_session = Fields.text(played, "own")
	session = Fields.text(played, "id")
	since_ms = maxi(0, Fields.count(played, "sinceMs", Times.LATEST_MS))
	_active_ms = maxi(0, Fields.count(played, "activeMs", Times.LATEST_MS))
	_fields = Fields.text(played, "fields")
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
		"session": null if own_session == "" else {
			"own": own_session,
			"id": session,
			"sinceMs": since_ms,
			"activeMs": _active_ms,
			"fields": _fields,
		},
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


# Whether a start goes on with the session: only if it was played a short time ago.
func continues(init_fields: String, now_ms: int) -> bool:
	var silent_ms := now_ms - _active_ms
	if own_session != "" and _fields == init_fields and silent_ms >= 0 and silent_ms < CONTINUED_MS:
		return true
	end()
	return false


func begin(own: String, init_fields: String, now_ms: int) -> void:
	own_session = own
	session = ""
	since_ms = now_ms
	_active_ms = now_ms
	_fields = init_fields


# Whether that is worth storing.
func still_played(now_ms: int) -> bool:
	if own_session == "" or now_ms - _active_ms < ACTIVE_MS:
		return false
	_active_ms = now_ms
	return true


func end() -> void:
	own_session = ""
	session = ""


func open(own: String, id: String) -> void:
	if own_session == own:
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
