extends RefCounted
# What waits for the game's listeners, and what the client says of mistakes.

# As many as a queue has events. Beyond it the oldest are dropped, so that a game that does not tick does not fill its
# memory.
const MOST_NEWS := 2000
# As many as the service keeps for a player.
const MOST_MESSAGES := 32
const MOST_ADVICE := 100

# Whether there is a listener for messages; they wait until then.
var has_listener := false
var _news: Array = []
var _messages: Array = []
# Mistakes of the game that were reported.
var _advised := {}
# Writes a line to the game's log; invalid if the game did not ask for it.
var _log: Callable


func _init(options: Dictionary) -> void:
	_log = options["log"] if options["debug"] else Callable()


# Arrays of a signal's name and its arguments.
func take() -> Array:
	var taken := _news
	_news = []
	if has_listener:
		for each: Dictionary in _messages:
			taken.append(["intervention_offered", each])
		_messages = []
	return taken


func tell(each: Array) -> void:
	_news.append(each)
	if _news.size() > MOST_NEWS:
		_news.pop_front()


func offer(message: Dictionary) -> void:
	_messages.append(message)
	if _messages.size() > MOST_MESSAGES:
		_messages.pop_front()


func forget_messages() -> void:
	_messages = []


func report(kind: String, message: String) -> void:
	debug(kind + ": " + message)
	tell(["problem_reported", kind, message])


# Reports a mistake of the game once.
func advise(message: String) -> void:
	if message == "" or _advised.has(message) or _advised.size() >= MOST_ADVICE:
		return
	_advised[message] = true
	report("usage", message)


func debug(line: String) -> void:
	if _log.is_valid():
		_log.call("Player Analytics: " + line)
