extends Node
# Sends requests without blocking and without following redirections.

# More than the flags of any game and a sync's messages; little enough for a phone's memory.
const MOST_ANSWER_BYTES := 4194304

var _request: HTTPRequest
var _done: Callable


func _ready() -> void:
	_request = HTTPRequest.new()
	_request.max_redirects = 0
	_request.body_size_limit = MOST_ANSWER_BYTES
	_request.accept_gzip = false
	# The client has a timeout of its own.
	_request.timeout = 0.0
	_request.request_completed.connect(_completed)
	add_child(_request)


# `done` gets a fault ("" if there is an answer), the status, headers by names in small letters, and the body. Not called
# after an abort.
func send(url: String, headers: Dictionary, body: String, done: Callable) -> void:
	var lines := PackedStringArray()
	for name: String in headers:
		lines.append("%s: %s" % [name, headers[name]])
	_done = done
	var error := _request.request(url, lines, HTTPClient.METHOD_POST, body)
	if error != OK:
		done.call_deferred("The request could not be sent: %s." % error_string(error), 0, {}, "")


# One more, for requests beside those of this one.
func another() -> Node:
	var other: Node = get_script().new()
	add_child(other)
	return other


func abort() -> void:
	_done = Callable()
	_request.cancel_request()


func _completed(result: int, status: int, headers: PackedStringArray, body: PackedByteArray) -> void:
	var done := _done
	_done = Callable()
	if not done.is_valid():
		return
	# A redirection that is not followed counts as one too many.
	if result != HTTPRequest.RESULT_SUCCESS:
		done.call("No answer: error %d of HTTPRequest." % result, 0, {}, "")
		return
	var named := {}
	for line in headers:
		var colon := line.find(":")
		if colon > 0:
			named[line.substr(0, colon).to_lower()] = line.substr(colon + 1).strip_edges()
	done.call("", status, named, body.get_string_from_utf8())
