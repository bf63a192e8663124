extends RefCounted
# Sends what players left behind who used this device before: their events would wait until they sign in again. It opens
# no session, and what it cannot send stays. A list in storage names the players.

const DeviceClock = preload("device_clock.gd")
const Entry = preload("entry.gd")
const EventQueue = preload("event_queue.gd")
const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")
const Options = preload("options.gd")
const SavedState = preload("saved_state.gd")
const Sender = preload("sender.gd")

const LIST := "players"
const MOST_LIST_BYTES := 1048576
# A device has few, and each costs a handful of requests. The oldest is forgotten.
const MOST_PLAYERS := 8
const MOST_STATE_BYTES := 4194304


# One of them: what its sender sees.
class Leaver:
	extends RefCounted
	var state := SavedState.new()
	var own_session := ""
	var player_token := ""
	var queue: EventQueue
	var sender: Sender
	# The service refuses it: it waits until the player is back.
	var is_given_up := false
	var _main: Object
	var _storage: Object
	var _state_name: String

	func _init(options: Dictionary, clock: DeviceClock, main: Object) -> void:
		_main = main
		_storage = options["storage"]
		var own: String = options["player"].sha256_text().substr(0, 32)
		_state_name = own + ".state"
		state.read(_storage.read(_state_name, MOST_STATE_BYTES))
		queue = EventQueue.new(
			_storage, own + ".queue", options["max_queued"], options["max_queued_bytes"],
			func(entry: Entry) -> void: _main.drop(entry, "queue-full", "The queue is full.")
		)
		queue.load_stored()
		if not queue.entries.is_empty():
			sender = Sender.new(self, queue, clock, options)

	func new_id() -> String:
		return _main.new_id()

	func state_changed() -> void:
		_storage.write(_state_name, state.to_json())

	func drop(entry: Entry, reason: String, message: String) -> void:
		_main.drop(entry, reason, message)

	func report(kind: String, message: String) -> void:
		is_given_up = is_given_up or kind == "unauthorized" or kind == "refused"
		_main.report(kind, message)

	func debug(line: String) -> void:
		_main.debug(line)

	func advise(message: String) -> void:
		_main.advise(message)

	func flags_served(_flags: Dictionary, _are_all: bool) -> void:
		pass

	func session_gone() -> void:
		pass

	func offer(_intervention: Dictionary) -> void:
		pass

	func token_refused() -> void:
		pass


var _options: Dictionary
var _clock: DeviceClock
# A weak reference: the client holds this.
var _main: WeakRef
var _transport: Object
var _waiting: Array = []
var _current: Leaver


func _init(options: Dictionary, clock: DeviceClock, main: Object) -> void:
	_options = options
	_clock = clock
	_main = weakref(main)


# Reads who was here, and adds this player to the list.
func begin() -> void:
	var storage: Object = _options["storage"]
	var players := []
	var stored: Variant = JsonText.read(storage.read(LIST, MOST_LIST_BYTES))
	for each: Variant in stored if stored is Array else []:
		if Fields.text(each, "external_id") not in ["", _options["player"]]:
			players.append(each)
	_waiting = players.duplicate()
	players.append(_options["registration"])
	storage.write(LIST, JsonText.write(players.slice(-MOST_PLAYERS)))


func is_sending() -> bool:
	return _current != null and _current.sender.is_sending()


# Milliseconds until a tick has something to do; negative if there is nothing.
func due_ms() -> float:
	return -1.0 if _current == null else _current.sender.due_ms()


# Does a little, while the client of the present player sends nothing.
func tick(may_begin: bool) -> void:
	if _current == null and may_begin and not _waiting.is_empty():
		_begin_next(_waiting.pop_front())
	if _current == null or (not may_begin and not is_sending()):
		return
	_current.sender.tick()
	_current.queue.save()
	if _current.is_given_up or _current.sender.is_idle():
		_current = null


func stop() -> void:
	_waiting = []
	if _current != null:
		_current.sender.stop()
	_current = null


func _begin_next(registration: Dictionary) -> void:
	# One that sends one request at a time is the present player's.
	if _transport == null and _options["transport"].has_method("another"):
		_transport = _options["transport"].another()
	if _transport == null:
		return
	var options: Dictionary = Options.complete({
		"base_url": _options["base_url"],
		"key": _options["key"],
		"player": registration["external_id"],
		"device_id": Fields.text(registration, "device_id"),
		"attributes": Fields.object(registration, "attributes"),
		"timeout_ms": _options["timeout_ms"],
		"storage": _options["storage"],
		"transport": _transport,
		"device": _options["device"],
	})
	var leaver := Leaver.new(options, _clock, _main.get_ref())
	if leaver.sender != null:
		_current = leaver
