extends RefCounted
# The game client of one player, without nodes: queue, session and sender. `player_analytics.gd` ticks it every frame
# and emits what it has to tell.
#
# Options: base_url, key, player; storage (`file_storage.gd`), transport (`http_transport.gd`), device
# (`device.gd`); and those of `options.gd`.

const DeviceClock = preload("device_clock.gd")
const Entry = preload("entry.gd")
const EventQueue = preload("event_queue.gd")
const FlagValues = preload("flag_values.gd")
const JsonText = preload("json_text.gd")
const Leavers = preload("leavers.gd")
const Options = preload("options.gd")
const Reports = preload("reports.gd")
const SavedState = preload("saved_state.gd")
const Sender = preload("sender.gd")

const CONSENT := "consent"
const MOST_STATE_BYTES := 4194304
# The service's bound on properties and attributes as JSON.
const DOCUMENT_BYTES := 65536
const NAME_LENGTH := 128
const EXPOSED := "flag_exposed"

var state := SavedState.new()
# Own id of the session that the game plays; "" after its end.
var own_session := ""
var player_token := ""
var reports: Reports

var _options: Dictionary
var _storage: Object
var _clock: DeviceClock
var _queue: EventQueue
var _sender: Sender
var _leavers: Leavers
var _init_fields: String
# The service has said in this run what flags there are.
var _has_flags := false
# By flag: the variant and the period that the player was exposed to last.
var _exposed := {}
var _state_name: String
var _run: String
var _counter := 0
var _own_since_ms := 0
var _is_allowed: bool
var _is_over := false
var _is_paused := false
var _is_state_unsaved := false
var _is_storage_failing := false


func _init(options: Dictionary) -> void:
	_options = Options.complete(options)
	reports = Reports.new(_options)
	_storage = _options["storage"]
	_clock = DeviceClock.new(_options["device"])
	_run = _options["device"].random_hex(8)
	player_token = _options["player_token"]
	_is_allowed = not _options["require_consent"]
	var own: String = _options["player"].sha256_text().substr(0, 32)
	_state_name = own + ".state"
	_queue = EventQueue.new(
		_storage, own + ".queue", _options["max_queued"], _options["max_queued_bytes"], _queue_full
	)
	_leavers = Leavers.new(_options, _clock, self)
	_init_fields = JsonText.write(_options["init_fields"])
	_load()
	if state.continues(_init_fields, _clock.raw_ms()):
		own_session = state.own_session
		_own_since_ms = state.since_ms
	else:
		_begin_session()
	if _is_allowed:
		_start_sending()


# Queues an event. False if it is invalid, consent is missing or the client is shut down.
func track(name: String, properties: Dictionary) -> bool:
	if _is_over or not _is_allowed:
		return false
	if name == "purchase":
		advise("An event named purchase counts no revenue: POST /v1/players/players/{id}/purchase does.")
	var entry := _entry("event")
	entry.name = name
	entry.json = "" if properties.is_empty() else JsonText.write(properties)
	var reason := "invalid"
	var fault := ""
	if name == "" or name.length() > NAME_LENGTH:
		fault = "The name of an event has 1 to %d characters." % NAME_LENGTH
	elif entry.json == "" and not properties.is_empty():
		fault = "The properties are no JSON."
	elif entry.json.to_utf8_buffer().size() > DOCUMENT_BYTES:
		reason = "too-large"
		fault = "The properties have more than %d bytes as JSON." % DOCUMENT_BYTES
	if fault != "":
		drop(entry, reason, fault)
		return false
	_add(entry)
	return true


# Merges attributes of the player with the next sync; null deletes one.
func set_state(attributes: Dictionary) -> bool:
	if _is_over or not _is_allowed:
		return false
	var entry := _entry("state")
	entry.json = JsonText.write(attributes)
	if entry.json == "" or entry.json.to_utf8_buffer().size() > DOCUMENT_BYTES:
		report("invalid", "The attributes are no JSON, or have more than %d bytes." % DOCUMENT_BYTES)
		return false
	_add(entry)
	return true


# The served value, or the fallback where there is none or one of another type.
func flag(key: String, fallback: Variant) -> Variant:
	var found: Dictionary = state.flags.get(key, {})
	if _has_flags:
		advise(FlagValues.fault(key, found, fallback))
	return FlagValues.served_or(found, fallback)


# Tracks that the player saw the flag as it is now, once per variant and period.
func expose(key: String) -> bool:
	var found: Dictionary = state.flags.get(key, {})
	var shown: Variant = FlagValues.shown_variant(found)
	var seen := [shown, found.get("period")]
	if not found.is_empty() and _exposed.get(key, []) == seen:
		return not _is_over and _is_allowed
	if not track(EXPOSED, {"flag_key": key} if shown == null else {"flag_key": key, "variant_key": shown}):
		return false
	_exposed[key] = seen
	return true


# Ends the session; the next event begins another.
func end_session() -> void:
	if own_session == "" or not _is_allowed or _is_over:
		return
	var entry := _entry("end")
	entry.seconds = maxi(0, roundi((_clock.raw_ms() - _own_since_ms) / 1000.0))
	_queue.add(entry)
	own_session = ""
	state.end()
	_is_state_unsaved = true
	flush()


func flush() -> void:
	if _sender != null:
		_sender.flush(true)


func set_paused(is_paused: bool) -> void:
	_is_paused = is_paused
	if _sender != null:
		_sender.set_paused(is_paused)
	tick()


# Without consent everything stops, and queue and flags of this key leave the device.
func set_consent(is_given: bool) -> void:
	if _is_over:
		return
	var is_changed := is_given != _is_allowed
	_is_allowed = is_given
	if is_changed and not is_given:
		_forget()
	_stored(_storage.write(CONSENT, "given" if is_given else "denied"))
	if is_changed and is_given:
		_begin_session()
		_start_sending()


func set_player_token(token: String) -> void:
	player_token = token
	if _sender != null:
		_sender.token_changed()


# Does what is due, without waiting.
func tick() -> void:
	if _is_allowed and not _is_over and not _queue.is_failing:
		_save_queue()
	if _sender != null:
		var was_failing := _queue.is_failing
		_sender.tick()
		if _queue.is_failing and not was_failing:
			_stored(false)
		# Once this player is online.
		_leavers.tick(state.session != "" and _sender.is_idle())
	_save_state()


# Ends the session and stores what is not sent; the next start sends it.
func shutdown() -> void:
	if _is_over:
		return
	end_session()
	_is_over = true
	_leavers.stop()
	if _sender != null:
		_sender.stop()
		_sender = null
	if _is_allowed:
		_save_queue()
	_save_state()


# What happened since: arrays of a signal's name and its arguments.
func take_news() -> Array:
	return reports.take()


func session_id() -> String:
	return state.session if own_session != "" and state.own_session == own_session else ""


# The time of the service, ms since 1970.
func now_ms() -> int:
	return _clock.now_ms()


func is_sending() -> bool:
	return _sender != null and (_sender.is_sending() or _leavers.is_sending())


# Milliseconds until the next timer; negative if there is none.
func due_ms() -> float:
	if _sender == null:
		return -1.0
	var waits := _sender.is_sending() and not _leavers.is_sending()
	var theirs := _leavers.due_ms()
	return _sender.due_ms() if waits or theirs < 0 else minf(_sender.due_ms(), theirs)


# What follows is for the sender.

func new_id() -> String:
	_counter += 1
	return "%s-%x" % [_run, _counter]


func state_changed() -> void:
	_is_state_unsaved = true


# The service knows the session no more: the game begins another.
func session_gone() -> void:
	if own_session != "":
		_begin_session()


func flags_served(flags: Dictionary, are_all: bool) -> void:
	var before := state.flags
	var after := flags if are_all else before.merged(flags, true)
	for key: String in after:
		if before.get(key) != after[key]:
			reports.tell(["flag_changed", key, after[key].duplicate(true)])
	for key: String in before:
		if not after.has(key):
			reports.tell(["flag_changed", key, {}])
	state.flags = after
	_has_flags = are_all and not flags.is_empty() or _has_flags
	_is_state_unsaved = state.still_played(_clock.raw_ms()) or _is_state_unsaved or not flags.is_empty()


func offer(intervention: Dictionary) -> void:
	reports.offer(intervention)


func drop(entry: Entry, reason: String, message: String) -> void:
	debug("dropped %s (%s): %s" % [entry.name, reason, message])
	if entry.name == EXPOSED:
		_exposed = {}
	if entry.kind == "event":
		reports.tell(["event_dropped", {"id": entry.id, "name": entry.name, "reason": reason, "message": message}])
	else:
		report("refused", "Changed attributes or the end of a session were dropped: " + message)


func advise(message: String) -> void:
	reports.advise(message)


func debug(line: String) -> void:
	reports.debug(line)


func report(kind: String, message: String) -> void:
	reports.report(kind, message)


func token_refused() -> void:
	reports.tell(["player_token_refused"])


func _queue_full(entry: Entry) -> void:
	drop(entry, "queue-full", "The queue is full.")


func _load() -> void:
	var consent: String = _storage.read(CONSENT, 100)
	if consent == "given" or consent == "denied":
		_is_allowed = consent == "given"
	if not _is_allowed:
		_storage.remove_others(CONSENT)
		return
	state.read(_storage.read(_state_name, MOST_STATE_BYTES))
	_queue.load_stored()


func _start_sending() -> void:
	_sender = Sender.new(self, _queue, _clock, _options)
	_sender.set_paused(_is_paused)
	# The events of a player who has to prove its identity are sent by its own client only.
	if player_token == "":
		_leavers.begin()


func _forget() -> void:
	_leavers.stop()
	if _sender != null:
		_sender.stop()
	_sender = null
	own_session = ""
	_queue.clear()
	flags_served({}, true)
	state = SavedState.new()
	_is_state_unsaved = false
	reports.forget_messages()
	_exposed = {}
	_storage.remove_others(CONSENT)


func _begin_session() -> void:
	own_session = "own_" + new_id()
	_own_since_ms = _clock.raw_ms()
	state.begin(own_session, _init_fields, _own_since_ms)
	_is_state_unsaved = true


func _entry(kind: String) -> Entry:
	if own_session == "":
		_begin_session()
	var entry := Entry.new()
	entry.kind = kind
	entry.id = new_id()
	# The service's id of the session as soon as it is known.
	entry.session = session_id() if session_id() != "" else own_session
	entry.at_ms = _clock.now_ms()
	entry.corrected = _clock.is_corrected
	return entry


func _add(entry: Entry) -> void:
	debug("%s %s" % [entry.kind, entry.name])
	_queue.add(entry)
	_is_state_unsaved = state.still_played(_clock.raw_ms()) or _is_state_unsaved
	var is_much: bool = _queue.entries.size() >= _options["flush_at"] or _queue.bytes >= _options["flush_at_bytes"]
	if is_much and _sender != null:
		_sender.flush(false)


func _save_queue() -> void:
	if not _queue.is_saved():
		_stored(_queue.save())


func _save_state() -> void:
	if not _is_state_unsaved or not _is_allowed:
		return
	_is_state_unsaved = false
	_stored(_storage.write(_state_name, state.to_json()))


# Tells of the first failure in a row.
func _stored(is_stored: bool) -> void:
	if not is_stored and not _is_storage_failing:
		report("storage", "Storage failed; events stay in memory.")
	_is_storage_failing = not is_stored
