extends RefCounted
# Which request to send next for the queue.
#
# Invariants
# 1. Entries are sent in their order. A request takes entries whose times do not go back, because the service applies
#    the events of a request by time.
# 2. Events of a session that the service may still hold open go by `sync` or `end-session`. Events of other sessions go
#    by the batch endpoint, which takes events of any age.
# 3. Changed attributes wait for a `sync`: the batch endpoint has none.

const Entry = preload("entry.gd")
const EventQueue = preload("event_queue.gd")
const JsonText = preload("json_text.gd")
const SavedState = preload("saved_state.gd")
const Times = preload("times.gd")

const MOST_EVENTS := 50
# Of a request: small enough to leave the device while the app goes to the background.
const MOST_BYTES := 60000
# The longest session that the service records.
const DAY_SECONDS := 86400


# A request, and what of the queue is in it.
class Step:
	extends RefCounted
	var kind := ""
	var path := ""
	var body := ""
	# "" if the request needs none.
	var idempotency_key := ""
	var events: Array = []
	var states: Array = []
	# The end of a session; null if there is none.
	var end: Entry
	# By the service for a sync and an end, own for an init and a record, otherwise empty.
	var session := ""

	func entries() -> Array:
		return events + states + ([end] if end != null else [])


var _state: SavedState
# The service's id of the session that is played; "" if it is not open.
var current := ""
var _offset_ms: int
var _most_events: int
var _new_key: Callable


func _init(state: SavedState, own: String, offset_ms: int, most_events: int, new_key: Callable) -> void:
	_state = state
	_offset_ms = offset_ms
	_most_events = most_events
	_new_key = new_key
	current = state.session if state.own_session == own else ""


static func register(fields: Dictionary) -> Step:
	return _step("register", "/v1/players/players", JsonText.write(fields), "")


# The session's own id is the key: however often it is asked for, the service opens it once.
static func init_session(own: String, player_id: String, fields: Dictionary) -> Step:
	var body := fields.duplicate()
	body["player_id"] = player_id
	var step := _step("init", "/v1/bff/game/init", JsonText.write(body), own)
	step.idempotency_key = own
	return step


# The next step; null if nothing can be sent.
func next(entries: Array) -> Step:
	var events: Array = []
	var states: Array = []
	var session := ""
	var is_open := false
	var bytes := 0
	var latest_ms := -9223372036854775807
	for entry: Entry in entries:
		bytes += entry.size()
		var is_full := bytes > MOST_BYTES and events.size() + states.size() > 0
		if entry.kind == "state":
			if session != "" and not is_open:
				continue
			if is_full:
				break
			states.append(entry)
			continue
		var its_session := _session_of(entry)
		var is_its_open := _is_open(entry)
		if entry.kind == "end":
			if events.is_empty() and (states.is_empty() or not is_its_open):
				return _end(events, entry, entries)
			if states.is_empty() and is_its_open and session == its_session:
				return _end(events, entry, entries)
			break
		var at_ms := _time_of(entry)
		if session != "" and (is_open != is_its_open or (is_its_open and session != its_session)):
			break
		if is_full or events.size() == _most_events or at_ms < latest_ms:
			break
		if session == "":
			session = its_session
			is_open = is_its_open
		if not is_open:
			states = []
		events.append(entry)
		latest_ms = at_ms
	if session != "":
		return sync(events, states, session) if is_open else _batch(events, entries)
	return null if states.is_empty() or current == "" else sync([], states, current)


# Asks for messages and changed flags, and keeps the session open.
func sync(events: Array, states: Array, session: String) -> Step:
	var changes := "" if states.is_empty() else ",\"state_updates\":" + EventQueue.merged(states)
	var body := "{%s,\"events\":%s%s}" % [_session_json(session), _events_json(events, false), changes]
	var step := _step("sync", "/v1/bff/game/sync", body, session)
	step.idempotency_key = _new_key.call()
	step.events = events
	step.states = states
	return step


# Ids of ends of sessions that are closed or recorded: nothing is left to send for them.
func settled_ends(entries: Array) -> Dictionary:
	var settled := {}
	for entry: Entry in entries:
		if entry.kind == "end" and not _is_open(entry) and not _is_unrecorded(entry.session):
			settled[entry.id] = true
	return settled


func _session_of(entry: Entry) -> String:
	var known := _state.server_session(entry.session)
	return known if known != "" else entry.session


func _is_open(entry: Entry) -> bool:
	var known := _state.server_session(entry.session)
	return known != "" and not _state.is_closed(known)


func _batch(events: Array, entries: Array) -> Step:
	for entry: Entry in events:
		if _is_unrecorded(entry.session):
			return _record(entry.session, entries, null)
	var step := _step("batch", "/v1/events/events/batch", "{\"events\":%s}" % _events_json(events, true), "")
	step.events = events
	return step


func _end(events: Array, end: Entry, entries: Array) -> Step:
	if not _is_open(end):
		return _record(end.session, entries, end)
	var session := _session_of(end)
	var body := "{%s,\"session_duration_seconds\":%d,\"final_events\":%s}" % [
		_session_json(session), end.seconds, _events_json(events, false)
	]
	var step := _step("end", "/v1/bff/game/end-session", body, session)
	step.idempotency_key = _new_key.call()
	step.events = events
	step.end = end
	return step


# Records a session that was played without the service. A session counts once by its id, so a repeat adds nothing.
func _record(session: String, entries: Array, end: Entry) -> Step:
	var first_ms := 9223372036854775807
	var last_ms := -9223372036854775807
	var ended := end
	for entry: Entry in entries:
		if entry.session != session or entry.kind == "state":
			continue
		if entry.kind == "end" and ended == null:
			ended = entry
		first_ms = mini(first_ms, _time_of(entry))
		last_ms = maxi(last_ms, _time_of(entry))
	var start_ms := first_ms
	if ended != null:
		start_ms = mini(first_ms, _time_of(ended) - ended.seconds * 1000)
	@warning_ignore("integer_division")
	var seconds: int = (last_ms - start_ms) / 1000 if ended == null else ended.seconds
	var body := JsonText.write({
		"session_id": session,
		"duration_seconds": mini(seconds, DAY_SECONDS),
		"start_time": Times.iso(start_ms),
		"end_time": Times.iso(last_ms),
	})
	var step := _step("record", "/v1/players/players/%s/session" % _state.player_id.uri_encode(), body, session)
	step.end = end
	return step


func _is_unrecorded(session: String) -> bool:
	return SavedState.is_own(session) and _state.server_session(session) == "" and not _state.is_recorded(session)


func _session_json(session: String) -> String:
	return "\"player_id\":%s,\"session_id\":%s" % [JsonText.quote(_state.player_id), JsonText.quote(session)]


func _events_json(events: Array, is_batch: bool) -> String:
	var items := PackedStringArray()
	for entry: Entry in events:
		var head := _session_json(_session_of(entry)) + "," if is_batch else ""
		var properties := "" if entry.json == "" else ",\"properties\":" + entry.json
		# Not by a format: properties may hold its signs.
		items.append("{" + head + "\"event_name\":" + JsonText.quote(entry.name) + ",\"timestamp\":\""
			+ Times.iso(_time_of(entry)) + "\",\"event_id\":" + JsonText.quote(entry.id) + properties + "}")
	return "[" + ",".join(items) + "]"


# The service's time of an entry.
func _time_of(entry: Entry) -> int:
	return entry.at_ms if entry.corrected else entry.at_ms + _offset_ms


static func _step(kind: String, path: String, body: String, session: String) -> Step:
	var step := Step.new()
	step.kind = kind
	step.path = path
	step.body = body
	step.session = session
	return step
