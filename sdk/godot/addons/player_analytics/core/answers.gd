extends RefCounted
# Reads the answers of the service. Every function returns null or nothing for an answer of another shape, or one to
# another request: proxies and captive portals answer 200 too, and nothing may leave the queue because of them.

const Fields = preload("fields.gd")
const SavedState = preload("saved_state.gd")
const Steps = preload("steps.gd")


# What an answer to a step means for the entries in it.
class Settlement:
	extends RefCounted
	# Ids of entries that leave the queue: stored by the service, or dropped.
	var done := {}
	# Pairs of an entry that the service refuses for ever, and why.
	var rejected: Array = []
	var quarantined: Array = []
	# An event stays in the queue because of a temporary fault.
	var has_unavailable := false
	# The service does not know the player (any more).
	var is_player_unknown := false
	# Events that were neither accepted nor named: repeats, or an answer to another request.
	var unnamed := 0
	var is_sync := false
	var flags := {}
	var interventions: Array = []


# "" if the answer is another one.
static func player_id(data: Dictionary, external_id: String) -> String:
	return Fields.text(data, "id") if Fields.text(data, "external_id") == external_id else ""


static func settle(step: Steps.Step, data: Dictionary) -> Settlement:
	match step.kind:
		"sync":
			return _settle_sync(step, data)
		"end":
			var summary: Dictionary = Fields.object(data, "session_summary")
			return _settle_listed(step, data) if Fields.text(summary, "session_id") == step.session else null
		"batch":
			return _settle_batch(step, data)
		"record":
			return _settle_all(step) if Fields.text(data, "session_id") == step.session else null
	return null


static func _settle_sync(step: Steps.Step, data: Dictionary) -> Settlement:
	var settlement := _settle_listed(step, data)
	if settlement == null:
		return null
	var left: int = step.events.size() - Fields.list(data, "rejected").size()
	var accepted: int = Fields.count(data, "events_accepted", left)
	if accepted < 0:
		return null
	settlement.unnamed = left - accepted - settlement.quarantined.size()
	settlement.is_sync = true
	settlement.flags = SavedState.flags_of(Fields.object(data, "updated_flags"))
	var offered: Variant = Fields.list(data, "interventions")
	for each: Variant in offered if offered != null else []:
		if Fields.text(each, "intervention_id") != "" and each.get("content") is Dictionary:
			settlement.interventions.append(each)
	return settlement


static func _settle_listed(step: Steps.Step, data: Dictionary) -> Settlement:
	var rejected: Variant = Fields.list(data, "rejected")
	if rejected == null:
		return null
	var settlement := _settle_all(step)
	for each: Variant in rejected:
		var index: int = Fields.count(each, "index", step.events.size() - 1)
		if index < 0:
			return null
		var entry: Object = step.events[index]
		var error: Dictionary = Fields.object(each, "error")
		var code: String = Fields.text(error, "code")
		if code == "SERVICE_UNAVAILABLE" or code == "INTERNAL_ERROR":
			settlement.done.erase(entry.id)
			settlement.has_unavailable = true
		elif code != "":
			settlement.rejected.append([entry, code + ": " + Fields.text(error, "message")])
	var warnings: Variant = Fields.list(data, "warnings")
	for each: Variant in warnings if warnings != null else []:
		var index: int = Fields.count(each, "index", step.events.size() - 1)
		if index < 0:
			return null
		if Fields.is_true(each, "quarantined"):
			settlement.quarantined.append(step.events[index])
	return settlement


# The answer has to name each event of the request.
static func _settle_batch(step: Steps.Step, data: Dictionary) -> Settlement:
	var results: Variant = Fields.list(data, "results")
	if results == null or results.size() != step.events.size():
		return null
	var settlement := Settlement.new()
	for result: Variant in results:
		var index: int = Fields.count(result, "index", step.events.size() - 1)
		var status: String = Fields.text(result, "status")
		if index < 0 or status == "":
			return null
		var entry: Object = step.events[index]
		var id: String = Fields.text(result, "event_id")
		if id != entry.id and (id != "" or status != "rejected"):
			return null
		var error: Dictionary = Fields.object(result, "error")
		var is_unknown: bool = status == "rejected" and Fields.text(error, "code") == "PLAYER_NOT_FOUND"
		if status == "unavailable":
			settlement.has_unavailable = true
		elif is_unknown:
			settlement.is_player_unknown = true
		else:
			settlement.done[entry.id] = true
		if status == "quarantined":
			settlement.quarantined.append(entry)
		if status == "rejected" and not is_unknown:
			settlement.rejected.append([entry, Fields.text(error, "message")])
	return settlement


static func _settle_all(step: Steps.Step) -> Settlement:
	var settlement := Settlement.new()
	for entry: Object in step.entries():
		settlement.done[entry.id] = true
	return settlement
