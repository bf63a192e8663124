extends RefCounted
# What an answer means.

const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")
const Times = preload("times.gd")

# Bounds the effect of a faulty Retry-After.
const LONGEST_WAIT_MS := 3600000.0

# `answered`; `refused`: the service understood the request, and a repeat changes nothing; `limited`; or `failed`: no
# answer, a temporary failure, or an answer that is not the service's.
var kind := ""
# Of a failure: `network`, `service` or `bad-answer`.
var reason := ""
var message := ""
var data := {}
var is_replayed := false
# The service's time of an answer, known to the second; negative if it is unknown.
var server_ms := -1
# Negative if the answer has none.
var retry_after_ms := -1.0
# Names of fields that the service ignored.
var ignored := ""
var status := 0
var code := ""
var details := {}


static func failure(why: String, text: String) -> RefCounted:
	var outcome := new()
	outcome.kind = "failed"
	outcome.reason = why
	outcome.message = text
	return outcome


# `headers`: values by names in small letters.
static func of(path: String, answer_status: int, headers: Dictionary, text: String, now_ms: int) -> RefCounted:
	var outcome := new()
	outcome.status = answer_status
	outcome.message = "%s answered %d" % [path, answer_status]
	outcome.server_ms = Times.parse_http(headers.get("date", ""))
	var at_ms: int = outcome.server_ms if outcome.server_ms >= 0 else now_ms
	outcome.retry_after_ms = _wait_of(headers.get("retry-after", ""), at_ms)
	outcome.ignored = headers.get("x-ignored-fields", "")
	if answer_status == 429:
		outcome.kind = "limited"
		return outcome
	outcome.kind = "failed"
	outcome.reason = "service"
	if answer_status >= 500:
		return outcome
	outcome.retry_after_ms = -1.0
	var envelope: Dictionary = JsonText.read_object(text)
	if answer_status >= 200 and answer_status < 300 and Fields.is_true(envelope, "success"):
		outcome.kind = "answered"
		outcome.data = Fields.object(envelope, "data")
		outcome.is_replayed = headers.get("idempotent-replayed", "") == "true"
		return outcome
	var error: Dictionary = Fields.object(envelope, "error")
	outcome.code = Fields.text(error, "code")
	if answer_status < 400 or outcome.code == "":
		outcome.reason = "bad-answer"
		outcome.message += " without the service's JSON; check the address."
		return outcome
	outcome.kind = "refused"
	outcome.message = Fields.text(error, "message")
	outcome.details = Fields.object(error, "details")
	return outcome


# The time to wait by a Retry-After in seconds or as a date; negative if there is none.
static func _wait_of(header: String, now_ms: int) -> float:
	if header.is_valid_float():
		return clampf(header.to_float() * 1000.0, 0.0, LONGEST_WAIT_MS)
	var date_ms: int = Times.parse_http(header)
	return -1.0 if date_ms < 0 else clampf(date_ms - now_ms, 0.0, LONGEST_WAIT_MS)
