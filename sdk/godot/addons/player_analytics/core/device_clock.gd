extends RefCounted
# The time of events: the device's clock, made steady and moved to the service's. Within a run it never follows the
# device's clock backwards; forwards it does, because the device may have slept, and the next answer of the service
# corrects it.

const Times = preload("times.gd")

# A forward step beyond this is followed: frames and requests never take it, sleep does.
const STEP_MS := 2000
# The header Date counts whole seconds, and a request has its way to go.
const IMPRECISION_MS := 5000

# Whether the service's time is known; then what to add to the raw time.
var is_corrected := false
var offset_ms := 0

var _platform: Object
var _anchor_wall_ms := 0.0
var _anchor_steady_ms := 0.0


func _init(platform: Object) -> void:
	_platform = platform
	_anchor_wall_ms = platform.wall_ms()
	_anchor_steady_ms = platform.steady_ms()


func steady_ms() -> float:
	return float(_platform.steady_ms())


# The device's time, steady but not corrected.
func raw_ms() -> int:
	var now_ms := steady_ms()
	var expected_ms := _anchor_wall_ms + (now_ms - _anchor_steady_ms)
	var device_ms := float(_platform.wall_ms())
	if device_ms - expected_ms <= STEP_MS:
		return Times.clamped(round(expected_ms))
	_anchor_wall_ms = device_ms
	_anchor_steady_ms = now_ms
	return Times.clamped(round(device_ms))


# The time of an event now.
func now_ms() -> int:
	return raw_ms() + offset_ms


# Sets the offset from a time of the service and the raw time at which it was taken.
func correct(server_ms: int, at_ms: float) -> void:
	offset_ms = int(round(server_ms - at_ms))
	is_corrected = true


# Sets it only if the service's time, known to the second, differs by more than that.
func compare(server_ms: int, at_ms: float) -> void:
	if not is_corrected or abs(server_ms - at_ms - offset_ms) > IMPRECISION_MS:
		correct(server_ms, at_ms)
