extends Node
## The game client of the player analytics service. The plugin makes it the autoload [code]PlayerAnalytics[/code].
##
## Call [method start] once; every other method may be called before and after it. None of them waits.

const Client = preload("core/client.gd")
const Device = preload("core/device.gd")
const FileStorage = preload("core/file_storage.gd")
const HttpTransport = preload("core/http_transport.gd")
const Options = preload("core/options.gd")

# What only the game's developer can mend: without a listener it would stay unseen.
const WARNED := ["usage", "unauthorized", "refused", "invalid"]

## A flag has changed: [code]{"enabled": bool, "value": Variant, "variant": String}[/code], empty if it is gone.
signal flag_changed(key: String, flag: Dictionary)
## A campaign has a message for the player.
signal intervention_offered(intervention: Dictionary)
## An event will not reach the service: [code]id[/code], [code]name[/code], [code]reason[/code], [code]message[/code].
signal event_dropped(event: Dictionary)
## Something failed and will be tried again, or is worth a line in a log.
signal problem_reported(kind: String, message: String)
## The service refuses the player token: get another one and pass it to [method set_player_token].
signal player_token_refused

var _client: Client
var _warned := {}


## Starts the client of one player. [code]base_url[/code], [code]key[/code] and [code]player[/code] are needed;
## [code]core/options.gd[/code] lists the other options. False if one is missing, or if a client runs.
func start(options: Dictionary) -> bool:
	if _client != null:
		push_error("PlayerAnalytics.start: call shutdown() first.")
		return false
	var fault := Options.fault(options)
	if fault != "":
		push_error("PlayerAnalytics.start: " + fault)
		return false
	var all := options.duplicate()
	if not all.has("transport"):
		all["transport"] = HttpTransport.new()
		add_child(all["transport"])
	if not all.has("log"):
		all["log"] = func(line: String) -> void: print(line)
	if not all.has("storage"):
		var place: String = ("%s\n%s" % [all["base_url"], all["key"]]).sha256_text().substr(0, 32)
		all["storage"] = FileStorage.new("user://player_analytics/1-" + place)
	if not all.has("device"):
		all["device"] = Device.new()
	if not all.has("device_info"):
		all["device_info"] = {
			"platform": OS.get_name(),
			"os_version": OS.get_version(),
			"app_version": str(ProjectSettings.get_setting("application/config/version", "")),
			"device_model": OS.get_model_name(),
		}
	_client = Client.new(all)
	return true


## Queues an event. False if it is invalid, consent is missing or the client does not run.
func track(event_name: String, properties := {}) -> bool:
	return _client != null and _client.track(event_name, properties)


## Tracks that the player saw the flag as it is now, once per variant and period of the flag.
func expose(flag_key: String) -> bool:
	return _client != null and _client.expose(flag_key)


## Merges attributes of the player with the next sync; null deletes one.
func set_state(attributes: Dictionary) -> bool:
	return _client != null and _client.set_state(attributes)


## The value that the flag serves. The fallback if the flag is not known, serves null, or serves a value of another type
## than the fallback; null as a fallback takes every type. A whole number is an int where the fallback is one.
func flag(key: String, fallback: Variant) -> Variant:
	return fallback if _client == null else _client.flag(key, fallback)


## Ends the session; the next event begins another.
func end_session() -> void:
	if _client != null:
		_client.end_session()


## Sends what is queued with the next frame.
func flush() -> void:
	if _client != null:
		_client.flush()


## Without consent everything stops, and queue and flags of this key leave the device.
func set_consent(is_given: bool) -> void:
	if _client != null:
		_client.set_consent(is_given)


## Replaces the token that your server signed for the player.
func set_player_token(token: String) -> void:
	if _client != null:
		_client.set_player_token(token)


## The session by the service; empty before it has opened it and after its end.
func session_id() -> String:
	return "" if _client == null else _client.session_id()


## The player's id by the service; empty before the first registration.
func player_id() -> String:
	return "" if _client == null else _client.state.player_id


## Keys of the segments that the player was in at the start of the session.
func segments() -> Array:
	return [] if _client == null else _client.state.segments.duplicate()


## The time of the service, ms since 1970.
func now_ms() -> int:
	return 0 if _client == null else _client.now_ms()


## Ends the session and stores what is not sent; the next start sends it.
func shutdown() -> void:
	if _client == null:
		return
	_client.shutdown()
	_emit()
	_client = null


func _process(_delta: float) -> void:
	if _client != null:
		_client.tick()
		_emit()


func _notification(what: int) -> void:
	if _client == null:
		return
	match what:
		NOTIFICATION_APPLICATION_PAUSED:
			_client.set_paused(true)
		NOTIFICATION_APPLICATION_RESUMED:
			_client.set_paused(false)
		NOTIFICATION_WM_CLOSE_REQUEST, NOTIFICATION_WM_GO_BACK_REQUEST:
			# The game may go on: it asks the player, or saves first.
			_client.flush()
			_client.tick()
		NOTIFICATION_EXIT_TREE:
			shutdown()


func _emit() -> void:
	if _client == null:
		return
	_client.reports.has_listener = not intervention_offered.get_connections().is_empty()
	for each: Array in _client.take_news():
		if each[0] == "problem_reported" and each[1] in WARNED and problem_reported.get_connections().is_empty():
			_warn_once("%s: %s" % [each[1], each[2]])
		callv("emit_signal", each)


func _warn_once(text: String) -> void:
	if _warned.has(text) or _warned.size() >= 100:
		return
	_warned[text] = true
	push_warning("PlayerAnalytics: " + text)
