extends SceneTree
# The client behind commands: each line of the input is one, each line of the output an answer. The README of
# sdk/conformance lists them. Files and requests are real; the clocks are moved by commands.

const Client = preload("res://addons/player_analytics/core/client.gd")
const FileStorage = preload("res://addons/player_analytics/core/file_storage.gd")
const HttpTransport = preload("res://addons/player_analytics/core/http_transport.gd")
const JsonText = preload("res://addons/player_analytics/core/json_text.gd")
const Options = preload("res://addons/player_analytics/core/options.gd")
const SelfTest = preload("self_test.gd")


class FakeDevice:
	extends RefCounted
	var wall := 0.0
	var steady := 0.0

	func wall_ms() -> float:
		return wall

	func steady_ms() -> float:
		return steady

	func random() -> float:
		return randf()

	func random_hex(bytes: int) -> String:
		return Crypto.new().generate_random_bytes(bytes).hex_encode()


# A disk that can be full. A write to it may leave a part.
class FaultyStorage:
	extends FileStorage
	var is_full := false

	func write(name: String, text: String) -> bool:
		return not is_full and super(name, text)

	func append(name: String, text: String) -> bool:
		if not is_full:
			return super(name, text)
		@warning_ignore("integer_division")
		super(name, text.substr(0, text.length() / 2))
		return false


var _device := FakeDevice.new()
var _transport := HttpTransport.new()
var _storage: FaultyStorage
var _client: Client
var _log: Array = []


func _initialize() -> void:
	SelfTest.run()
	root.add_child(_transport)


# Between two commands the engine works on its requests.
func _process(_delta: float) -> bool:
	var line := OS.read_string_from_stdin(1048576)
	if line.strip_edges() == "":
		return true
	var result: Variant = _perform(JsonText.read_object(line))
	if _client != null:
		_client.tick()
	print(JsonText.write(_look(result)))
	return false


func _look(result: Variant) -> Dictionary:
	var look := {"sending": false, "saving": false, "dueMs": null, "dropped": [], "problems": [], "changes": [], "messages": []}
	look["log"] = _log
	_log = []
	look["result"] = result
	if _client == null:
		return look
	look["sending"] = _client.is_sending()
	look["dueMs"] = _client.due_ms() if _client.due_ms() >= 0 else null
	for each: Array in _client.take_news():
		match each[0]:
			"event_dropped":
				look["dropped"].append(each[1])
			"problem_reported":
				look["problems"].append(each[1])
			"flag_changed":
				look["changes"].append(each[1])
			"intervention_offered":
				look["messages"].append(each[1]["intervention_id"])
	return look


func _perform(command: Dictionary) -> Variant:
	match command["do"]:
		"start":
			return _start(command)
		"track":
			return _client.track(command["name"], command["properties"])
		"setState":
			return _client.set_state(command["attributes"])
		"flag":
			return _flag(command)
		"expose":
			return _client.expose(command["key"])
		"listen":
			_client.reports.has_listener = true
		"end":
			_client.end_session()
		"flush":
			_client.flush()
		"pause":
			_client.set_paused(command["isPaused"])
		"consent":
			_client.set_consent(command["isGiven"])
		"quit":
			_client.shutdown()
		"advance":
			_device.steady += command["ms"]
			_device.wall += command["ms"]
		"skew":
			_device.wall += command["ms"]
		"disk":
			_storage.is_full = command["isFull"]
	return null


func _flag(command: Dictionary) -> Variant:
	var fallback: Variant = command["fallback"]
	var is_whole: bool = command.get("isWhole", false)
	var value: Variant = _client.flag(command["key"], int(fallback) if is_whole else fallback)
	if is_whole and not value is int and value == floor(value):
		return "a whole number that is no int: %s" % value
	# As it was, before the game changes what it got.
	var taken: Variant = value.duplicate(true) if value is Dictionary or value is Array else value
	if command.get("spoil", false):
		if value is Dictionary:
			value["price"] = "spoiled"
		else:
			value.append("spoiled")
	return taken


func _start(command: Dictionary) -> Variant:
	var its: Dictionary = command["options"]
	seed(int(command["seed"]))
	_device.wall = command["wallMs"]
	_storage = FaultyStorage.new(command["folder"])
	var options := {
		"base_url": command["baseUrl"],
		"key": command["key"],
		"player": command["player"],
		"storage": _storage,
		"transport": _transport,
		"device": _device,
		"require_consent": its.get("consent", "") == "required",
		"debug": its.get("debug", false),
		"log": func(line: String) -> void: _log.append(line),
	}
	var fault: String = Options.fault(options)
	if fault != "":
		return fault
	if its.has("maxQueued"):
		options["max_queued"] = int(its["maxQueued"])
	if its.has("timeoutMs"):
		options["timeout_ms"] = int(its["timeoutMs"])
	_client = Client.new(options)
	return null
