extends RefCounted
# Times as milliseconds since 1970.

# The last day that ISO 8601 writes with four digits.
const LATEST_MS := 253402214400000
const DAY_MS := 86400000
const MONTHS := ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


# A device's clock may be set to anything.
static func clamped(ms) -> int:
	return int(max(0, min(ms, LATEST_MS)))


static func iso(ms) -> String:
	var whole := clamped(ms)
	var seconds := whole / 1000
	# 1970-01-01 is day 719468 of a calendar whose years begin in March.
	var days := seconds / 86400 + 719468
	var era := days / 146097
	var day_of_era := days - era * 146097
	var year_of_era := (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365
	var day_of_year := day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100)
	var month_from_march := (5 * day_of_year + 2) / 153
	var day := day_of_year - (153 * month_from_march + 2) / 5 + 1
	var month := month_from_march + 3 if month_from_march < 10 else month_from_march - 9
	var year := year_of_era + era * 400 + (1 if month <= 2 else 0)
	var clock := seconds % 86400
	return "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ" % [
		year, month, day, clock / 3600, clock / 60 % 60, clock % 60, whole % 1000
	]


# Of `2026-01-15T10:00:00.123Z`; -1 if it is not of this form.
static func parse_iso(text: String) -> int:
	var pattern = RegEx.new()
	pattern.compile("^(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,9}))?Z$")
	var found = pattern.search(text)
	if found == null:
		return -1
	var fraction: String = (found.get_string(7) + "000").substr(0, 3)
	return _ms(found, 1, int(found.get_string(2)), 3, 4) + int(fraction)


# Of `Thu, 15 Jan 2026 10:00:00 GMT`; -1 if it is not of this form.
static func parse_http(text: String) -> int:
	var pattern = RegEx.new()
	pattern.compile("^\\w{3}, (\\d\\d) (\\w{3}) (\\d{4}) (\\d\\d):(\\d\\d):(\\d\\d) GMT$")
	var found = pattern.search(text)
	if found == null or not MONTHS.has(found.get_string(2)):
		return -1
	return _ms(found, 3, MONTHS.find(found.get_string(2)) + 1, 1, 4)


static func _ms(found, year_at: int, month: int, day_at: int, clock_at: int) -> int:
	var year := int(found.get_string(year_at)) - (1 if month <= 2 else 0)
	var era := year / 400
	var year_of_era := year - era * 400
	var day_of_year := (153 * (month - 3 if month > 2 else month + 9) + 2) / 5 + int(found.get_string(day_at)) - 1
	var day_of_era := year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
	var days := era * 146097 + day_of_era - 719468
	var seconds := (
		int(found.get_string(clock_at)) * 3600
		+ int(found.get_string(clock_at + 1)) * 60
		+ int(found.get_string(clock_at + 2))
	)
	return days * DAY_MS + seconds * 1000
