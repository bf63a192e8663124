extends RefCounted
# When to try again. A rate limit is no failed try; every other failure doubles the wait.

const FIRST_MS := 1000.0
# An outage that is over must not keep players away for long.
const LONGEST_MS := 60000.0
# A refused key is not mended in a minute.
const REFUSED_MS := 300000.0
# A rate limit without a Retry-After: half of the minute over which the service counts.
const LIMITED_MS := 30000.0

var _platform: Object
var _tries := 0
var _until_ms := -1.0
var _limited_until_ms := -1.0


func _init(platform: Object) -> void:
	_platform = platform


func until_ms() -> float:
	return max(_until_ms, _limited_until_ms)


# If the game asked for it, only a rate limit holds.
func allows(now_ms: float, is_urgent: bool) -> bool:
	return now_ms >= _limited_until_ms and (is_urgent or now_ms >= _until_ms)


func succeeded() -> void:
	_tries = 0
	_until_ms = -1.0


func failed(now_ms: float, at_least_ms: float) -> void:
	_until_ms = now_ms + max(_spread(min(FIRST_MS * pow(2, _tries), LONGEST_MS)), at_least_ms)
	_tries = int(min(_tries + 1, 20))


# Waits long although only one try failed: nothing will change soon.
func refused(now_ms: float) -> void:
	_until_ms = now_ms + _spread(REFUSED_MS)


# `retry_after_ms` is negative if there was none.
func limited(now_ms: float, retry_after_ms: float) -> void:
	var wait_ms := LIMITED_MS if retry_after_ms < 0 else retry_after_ms
	# Never before the service allows it, and not all at once after it.
	_limited_until_ms = now_ms + wait_ms * (1.0 + _platform.random() / 10.0)


# Half fixed and half random, so that clients that failed together do not return together.
func _spread(ms: float) -> float:
	return ms / 2.0 + _platform.random() * ms / 2.0
