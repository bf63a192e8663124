extends RefCounted
# Sends the queue of a player: one request at a time, in order, until the service has acknowledged everything. It does a
# little with each tick and never waits.
#
# Invariants
# 1. At most one request is under way. A request without an answer is repeated unchanged, with its Idempotency-Key, so
#    the service answers it once.
# 2. An entry leaves the queue only when an answer to its request says so.
# 3. What is sent has been written to storage before, or storage failed.

const Answers = preload("answers.gd")
const Backoff = preload("backoff.gd")
const DeviceClock = preload("device_clock.gd")
const EventQueue = preload("event_queue.gd")
const Fields = preload("fields.gd")
const Outcome = preload("outcome.gd")
const SavedState = preload("saved_state.gd")
const Steps = preload("steps.gd")
const Times = preload("times.gd")

# The client (`client.gd`): the state, the session that is played, and the callbacks.
var _host: Object
var _options: Dictionary
var _queue: EventQueue
var _clock: DeviceClock
var _transport: Object
var _backoff: Backoff
var _is_registered := false
var _is_due := true
var _is_urgent := false
var _is_sync_due := false
var _is_paused := false
var _last_sync_ms: float
var _most_events := Steps.MOST_EVENTS
# The request that has no answer yet; null if there is none.
var _pending: Steps.Step
var _pending_since_ms := 0
var _is_pending_confirmed := false
var _is_under_way := false
# Numbers requests, so that a late answer is known as one.
var _call := 0
var _sent_ms := 0.0
var _sent_raw_ms := 0


func _init(host: Object, queue: EventQueue, clock: DeviceClock, options: Dictionary) -> void:
	# A weak reference would do; the client forgets its sender when it stops.
	_host = host
	_queue = queue
	_clock = clock
	_options = options
	_transport = options["transport"]
	_backoff = Backoff.new(options["device"])
	_last_sync_ms = clock.steady_ms()
	# A session that goes on has flags of an earlier run.
	_is_sync_due = host.state.session != ""


# Nothing is under way, and nothing waits.
func is_idle() -> bool:
	return not _is_under_way and not _is_due


func is_sending() -> bool:
	return _is_under_way


# Milliseconds until a tick has something to do that no answer brings.
func due_ms() -> float:
	var now_ms := _clock.steady_ms()
	if _is_under_way:
		return maxf(0.0, _sent_ms + _options["timeout_ms"] - now_ms)
	var until_ms := _backoff.until_ms()
	return maxf(0.0, (until_ms if _is_due else maxf(_sync_at_ms(), until_ms)) - now_ms)


# Sends with the next tick. If it is urgent it does not wait for a backoff to end.
func flush(is_urgent: bool) -> void:
	_is_due = true
	_is_urgent = _is_urgent or (is_urgent and _backoff.allows(_clock.steady_ms(), true))


func set_paused(is_paused: bool) -> void:
	_is_paused = is_paused
	flush(false)


# A new token may help at once.
func token_changed() -> void:
	_backoff.succeeded()
	flush(false)


func tick() -> void:
	var now_ms := _clock.steady_ms()
	if _is_under_way and now_ms - _sent_ms >= _options["timeout_ms"]:
		_transport.abort()
		_conclude(Outcome.failure("network", "No answer within %d ms." % _options["timeout_ms"]))
	if not _is_under_way and now_ms >= _sync_at_ms():
		_last_sync_ms = now_ms
		_is_sync_due = not _is_paused
		_is_due = true
	while _is_due and not _is_under_way and _backoff.allows(now_ms, _is_urgent):
		_send_next(now_ms)
	if not _is_under_way:
		_is_urgent = false


func stop() -> void:
	_call += 1
	_is_under_way = false
	_transport.abort()


func _sync_at_ms() -> float:
	return _last_sync_ms + _options["sync_interval_ms"]


func _send_next(now_ms: float) -> void:
	_queue.save()
	var step := _pending if _pending != null else _next()
	if step == null:
		_is_due = false
		return
	if _pending == null:
		_pending = step
		_pending_since_ms = _clock.raw_ms()
		_is_pending_confirmed = false
	_queue.pin(step.entries())
	_is_under_way = true
	_call += 1
	_sent_ms = now_ms
	_sent_raw_ms = _clock.raw_ms()
	var headers := {"Content-Type": "application/json", "X-API-Key": _options["key"]}
	if step.idempotency_key != "":
		headers["Idempotency-Key"] = step.idempotency_key
	if _host.player_token != "":
		headers["X-Player-Token"] = _host.player_token
	var url: String = _options["base_url"].trim_suffix("/") + step.path
	_transport.send(url, headers, step.body, _answered.bind(_call))


# `fault`: why there is no answer; "" if there is one.
func _answered(fault: String, status: int, headers: Dictionary, text: String, call_number: int) -> void:
	if call_number != _call or not _is_under_way:
		return
	if fault != "":
		_conclude(Outcome.failure("network", fault))
	else:
		_conclude(Outcome.of(_pending.path, status, headers, text, _clock.raw_ms()))


func _next() -> Steps.Step:
	var state: SavedState = _host.state
	var registration: Dictionary = _options["registration"]
	if state.player_id == "" or (registration.size() > 1 and not _is_registered):
		return Steps.register(registration)
	var own: String = _host.own_session
	var steps := Steps.new(state, own, _clock.offset_ms, _most_events, _host.new_id)
	if own != "" and steps.current == "":
		return Steps.init_session(own, state.player_id, _options["init_fields"])
	_queue.remove(steps.settled_ends(_queue.entries))
	var step := steps.next(_queue.entries)
	if step == null and _is_sync_due and steps.current != "":
		return steps.sync([], [], steps.current)
	return step


# Takes in an outcome.
func _conclude(outcome: Outcome) -> void:
	var now_ms := _clock.steady_ms()
	var middle_ms := (_sent_raw_ms + _clock.raw_ms()) / 2.0
	var step := _pending
	_host.debug("%s: %s %s" % [step.path, outcome.kind, outcome.message])
	if outcome.ignored != "":
		_host.advise("The service ignored %s: client keys may not set it." % outcome.ignored)
	_is_under_way = false
	_is_due = true
	var is_success := false
	# The header counts whole seconds: the middle of its second is the best guess.
	if outcome.server_ms >= 0 and outcome.kind == "answered":
		_clock.compare(outcome.server_ms + 500, middle_ms)
	match outcome.kind:
		"limited":
			_host.report("rate-limit", "The service refused a request: too many in this minute.")
			_backoff.limited(now_ms, outcome.retry_after_ms)
		"failed":
			_host.report(outcome.reason, outcome.message)
			_backoff.failed(now_ms, outcome.retry_after_ms)
		"refused":
			is_success = _refused(step, outcome, now_ms)
		"answered":
			is_success = _accept(step, outcome, middle_ms, now_ms)
			if not is_success:
				_host.report("bad-answer", "%s was answered with something else." % step.path)
				_backoff.failed(now_ms, 0.0)
	if not is_success:
		_is_urgent = false
	if _pending == null:
		_queue.pin([])


# Whether the answer is one to this step.
func _accept(step: Steps.Step, outcome: Outcome, middle_ms: float, now_ms: float) -> bool:
	var state: SavedState = _host.state
	if step.kind == "register":
		var player_id: String = Answers.player_id(outcome.data, _options["player"])
		if player_id == "":
			return false
		_is_registered = true
		state.player_id = player_id
	elif step.kind == "init":
		var session: String = Fields.text(outcome.data, "session_id")
		var server_ms: int = Times.parse_iso(Fields.text(outcome.data, "server_time"))
		var answered: String = Fields.text(Fields.object(outcome.data, "player"), "player_id")
		if session == "" or server_ms < 0 or answered != state.player_id:
			return false
		# A replayed answer carries the time of the first attempt.
		_clock.correct(server_ms, float(_pending_since_ms) if outcome.is_replayed else middle_ms)
		state.open(step.session, session)
		state.segments = Fields.texts(outcome.data, "segments")
		_host.flags_served(SavedState.flags_of(Fields.object(outcome.data, "flags")), true)
		_is_sync_due = false
		_last_sync_ms = now_ms
	else:
		return _accept_settlement(step, Answers.settle(step, outcome.data), now_ms)
	_backoff.succeeded()
	_host.state_changed()
	_pending = null
	return true


func _accept_settlement(step: Steps.Step, settlement: Answers.Settlement, now_ms: float) -> bool:
	if settlement == null:
		return false
	if not settlement.has_unavailable and not settlement.is_player_unknown:
		_backoff.succeeded()
	# Fewer than were sent: repeats, or an answer to another request. The same request again tells them apart.
	if settlement.unnamed > 0 and not _is_pending_confirmed:
		_is_pending_confirmed = true
		return true
	_pending = null
	_apply(step, settlement, now_ms)
	return true


func _apply(step: Steps.Step, settlement: Answers.Settlement, now_ms: float) -> void:
	_queue.remove(settlement.done)
	_most_events = mini(_most_events * 2, Steps.MOST_EVENTS)
	for pair: Array in settlement.rejected:
		_host.drop(pair[0], "rejected", pair[1])
	for entry: Object in settlement.quarantined:
		_host.report("quarantined", "The event %s (%s) breaks its schema; it is kept apart." % [entry.name, entry.id])
	if settlement.is_player_unknown:
		_forget_player()
	if settlement.has_unavailable or settlement.is_player_unknown:
		# Also a flush of the game waits: otherwise the same request would follow at once, again and again.
		_is_urgent = false
		_backoff.failed(now_ms, 0.0)
	if step.kind == "end":
		_over(step.session)
	if step.kind == "record":
		_host.state.record(step.session)
	_host.state_changed()
	if not settlement.is_sync:
		return
	_is_sync_due = false
	_last_sync_ms = now_ms
	_host.flags_served(settlement.flags, false)
	for each: Dictionary in settlement.interventions:
		_host.offer(each)


# A session that a killed run had ended may be the one that this run continued: the game plays another one.
func _over(id: String) -> void:
	var is_current: bool = _host.state.session == id
	_host.state.close(id)
	_host.state_changed()
	if is_current:
		_host.session_gone()


func _refused(step: Steps.Step, refusal: Outcome, now_ms: float) -> bool:
	if step.kind == "batch":
		var settlement := Answers.settle(step, refusal.details)
		if settlement != null:
			_pending = null
			_apply(step, settlement, now_ms)
			return true
	if refusal.code == "SESSION_NOT_FOUND" and step.session != "":
		_pending = null
		_over(step.session)
		return true
	if refusal.status in [400, 413, 422] and _divide(step, refusal):
		return true
	var is_unauthorized := refusal.status == 401 or refusal.status == 403
	_host.report(
		"unauthorized" if is_unauthorized else "refused",
		"%s was refused with %d %s: %s" % [step.path, refusal.status, refusal.code, refusal.message]
	)
	if is_unauthorized and _host.player_token != "":
		_host.token_refused()
	var is_unknown := refusal.code == "PLAYER_NOT_FOUND"
	if is_unknown:
		_forget_player()
	if not is_unknown and refusal.code != "CONFLICT":
		_backoff.refused(now_ms)
		return false
	# A new request gets a new Idempotency-Key: with the old one a conflict would last.
	_pending = null
	_backoff.failed(now_ms, 0.0)
	return false


# A request that the service cannot take: half of it is sent next, or what is at fault is dropped.
func _divide(step: Steps.Step, refusal: Outcome) -> bool:
	var is_state_at_fault := false
	var fields: Variant = Fields.list(refusal.details, "fields")
	for each: Variant in fields if fields != null else []:
		is_state_at_fault = is_state_at_fault or Fields.text(each, "path").begins_with("/state_updates")
	var faulty: Array
	if not step.states.is_empty() and (is_state_at_fault or step.events.is_empty()):
		faulty = step.states
	elif step.events.size() > 1:
		_pending = null
		@warning_ignore("integer_division")
		_most_events = maxi(1, step.events.size() / 2)
		return true
	elif not step.events.is_empty():
		faulty = step.events
	elif step.end != null:
		faulty = [step.end]
	elif step.kind != "record":
		return false
	_pending = null
	var ids := {}
	for entry: Object in faulty:
		ids[entry.id] = true
		_host.drop(entry, "too-large" if refusal.status == 413 else "rejected", refusal.message)
	_queue.remove(ids)
	if step.kind == "record":
		_host.state.record(step.session)
		_host.state_changed()
	return true


func _forget_player() -> void:
	_is_registered = false
	_host.state.forget_player()
	_host.state_changed()
	_host.session_gone()
