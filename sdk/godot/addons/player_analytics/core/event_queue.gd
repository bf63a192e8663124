extends RefCounted
# The queue: what was tracked and not yet acknowledged by the service, in order, in memory and in a file. A line of the
# file is an entry, or says which entries are done. Lines are appended; the file is written anew when most of it is
# done.
#
# Invariants
# 1. Entries are handed out in order.
# 2. Entries and bytes are bounded: the oldest one that is not in a request is dropped and reported.
# 3. After a write that failed the file is written anew, because what of it reached the disk is unknown.

const Entry = preload("entry.gd")
const Fields = preload("fields.gd")
const JsonText = preload("json_text.gd")

# Of a file that is read: several times the bytes of the largest queue.
const MOST_FILE_BYTES := 16777216
# Lines of done entries that do not yet make a new file worth it.
const ROOM_BYTES := 262144

var entries: Array = []
var bytes := 0
# The last write failed; the next one is tried before the next request.
var is_failing := false

var _storage: Object
var _name: String
var _most_entries: int
var _most_bytes: int
# Called with each dropped entry.
var _on_dropped: Callable
var _unwritten := ""
var _pinned := {}
var _file_bytes := 0
var _is_anew := false


func _init(storage: Object, name: String, most_entries: int, most_bytes: int, on_dropped: Callable) -> void:
	_storage = storage
	_name = name
	_most_entries = most_entries
	_most_bytes = most_bytes
	_on_dropped = on_dropped


# Reads what an earlier run left. What is unreadable is left out, and the file is written anew.
func load_stored() -> void:
	var text: String = _storage.read(_name, MOST_FILE_BYTES)
	_is_anew = not text.ends_with("\n")
	_file_bytes = text.to_utf8_buffer().size()
	var done := {}
	var known := {}
	for line in text.split("\n", false):
		var members: Dictionary = JsonText.read_object(line)
		if Fields.text(members, "kind") == "done":
			for id in Fields.texts(members, "ids"):
				done[id] = true
			continue
		var entry := Entry.new()
		if not entry.read(members) or known.has(entry.id):
			_is_anew = true
			continue
		known[entry.id] = true
		entries.append(entry)
	entries = entries.filter(func(entry: Entry) -> bool: return not done.has(entry.id))
	for entry: Entry in entries:
		bytes += entry.size()
	_trim()


func add(entry: Entry) -> void:
	entries.append(entry)
	bytes += entry.size()
	if not _is_anew:
		_unwritten += entry.to_line() + "\n"
	_trim()


func is_saved() -> bool:
	return _unwritten == "" and not _is_anew


# Keeps entries that are in a request from being dropped.
func pin(step_entries: Array) -> void:
	_pinned = {}
	for entry: Entry in step_entries:
		_pinned[entry.id] = true


# `ids`: keys of a dictionary.
func remove(ids: Dictionary) -> void:
	var removed := []
	var kept := []
	for entry: Entry in entries:
		if ids.has(entry.id):
			removed.append(entry.id)
			bytes -= entry.size()
		else:
			kept.append(entry)
	entries = kept
	if not removed.is_empty() and not _is_anew:
		_unwritten += JsonText.write({"kind": "done", "ids": removed}) + "\n"


# Forgets everything; the caller removes the file.
func clear() -> void:
	entries = []
	bytes = 0
	_unwritten = ""
	_is_anew = false
	_file_bytes = 0


# Writes what is not written. Whether it is stored.
func save() -> bool:
	if is_saved():
		return true
	if _file_bytes + _unwritten.length() > 2 * bytes + ROOM_BYTES:
		_is_anew = true
	if entries.is_empty():
		is_failing = not _storage.remove(_name)
		_file_bytes = 0
	elif _is_anew:
		var lines := PackedStringArray()
		for entry: Entry in entries:
			lines.append(entry.to_line() + "\n")
		var text := "".join(lines)
		is_failing = not _storage.write(_name, text)
		_file_bytes = text.to_utf8_buffer().size()
	else:
		is_failing = not _storage.append(_name, _unwritten)
		_file_bytes += _unwritten.to_utf8_buffer().size()
	_unwritten = ""
	_is_anew = is_failing
	return not is_failing


# The attributes of several changes as one JSON text; later ones win.
static func merged(states: Array) -> String:
	if states.size() == 1:
		return states[0].json
	var attributes := {}
	for state: Entry in states:
		attributes.merge(JsonText.read_object(state.json), true)
	return JsonText.write(attributes)


func _trim() -> void:
	while entries.size() > _most_entries or bytes > _most_bytes:
		var oldest := _oldest_to_go()
		if oldest == null:
			return
		var is_merged: bool = oldest.kind == "state"
		remove({oldest.id: true})
		if not is_merged:
			_on_dropped.call(oldest)


# The oldest entry that is not in a request. Changed attributes are not lost: they are merged into newer ones, and the
# last of them stays.
func _oldest_to_go() -> Entry:
	for index in entries.size():
		var entry: Entry = entries[index]
		if _pinned.has(entry.id):
			continue
		if entry.kind != "state" or _merge_into_newer(index):
			return entry
	return null


func _merge_into_newer(old: int) -> bool:
	for index in range(old + 1, entries.size()):
		var newer: Entry = entries[index]
		if newer.kind != "state" or _pinned.has(newer.id):
			continue
		bytes -= newer.size()
		newer.json = merged([entries[old], newer])
		bytes += newer.size()
		# Lines of the file are not changed.
		_is_anew = true
		return true
	return false
