extends RefCounted
# Texts in files of a folder, by name. Nothing here throws: functions say whether they succeeded.

const SCRATCH := ".new"

var _folder: String


func _init(folder: String) -> void:
	_folder = folder
	DirAccess.make_dir_recursive_absolute(folder)


# The text; "" if there is none, or if it is longer than the given bytes.
func read(name: String, most_bytes: int) -> String:
	var path := _path(name)
	# The system ended between the two steps of a replacement.
	if not FileAccess.file_exists(path) and FileAccess.file_exists(path + SCRATCH):
		DirAccess.rename_absolute(path + SCRATCH, path)
	var file := FileAccess.open(path, FileAccess.READ)
	if file == null or file.get_length() > most_bytes:
		return ""
	# Line by line: what is no UTF-8, after a write that was torn, costs its line and not the file.
	var bytes := file.get_buffer(file.get_length())
	var lines := PackedStringArray()
	var from := 0
	var end := bytes.find(10)
	while end >= 0:
		lines.append(bytes.slice(from, end).get_string_from_utf8())
		from = end + 1
		end = bytes.find(10, from)
	lines.append(bytes.slice(from).get_string_from_utf8())
	return "\n".join(lines)


# Replaces the text as a whole: a crash leaves the old one or the new one.
func write(name: String, text: String) -> bool:
	var path := _path(name)
	if not _put(path + SCRATCH, FileAccess.WRITE, text):
		return false
	if DirAccess.rename_absolute(path + SCRATCH, path) == OK:
		return true
	# Where a file is not replaced by a renamed one.
	DirAccess.remove_absolute(path)
	return DirAccess.rename_absolute(path + SCRATCH, path) == OK


# Adds to the end.
func append(name: String, text: String) -> bool:
	var path := _path(name)
	return _put(path, FileAccess.READ_WRITE if FileAccess.file_exists(path) else FileAccess.WRITE, text)


func remove(name: String) -> bool:
	for path: String in [_path(name), _path(name) + SCRATCH]:
		if FileAccess.file_exists(path) and DirAccess.remove_absolute(path) != OK:
			return false
	return true


# Removes everything but the given name.
func remove_others(name: String) -> bool:
	var is_done := true
	for other in DirAccess.get_files_at(_folder):
		if other != name:
			is_done = DirAccess.remove_absolute(_path(other)) == OK and is_done
	return is_done


func _put(path: String, mode: FileAccess.ModeFlags, text: String) -> bool:
	var file := FileAccess.open(path, mode)
	if file == null:
		return false
	file.seek_end()
	var bytes := text.to_utf8_buffer()
	var length := file.get_length() + bytes.size()
	file.store_buffer(bytes)
	file.close()
	# A full disk shows only here: what did not fit is missing.
	var written := FileAccess.open(path, FileAccess.READ)
	return written != null and written.get_length() == length


func _path(name: String) -> String:
	return _folder.path_join(name)
