extends RefCounted
# The options of a client, beside `base_url`, `key` and `player`.

const DEFAULTS := {
	# Sent with the registration.
	"device_id": "",
	# Sent with the registration.
	"attributes": {},
	# Members: platform, os_version, app_version, build, device_model.
	"device_info": {},
	# Only these flags; all when empty.
	"flags": [],
	# That your server signed for the player.
	"player_token": "",
	# Writes to the log what the client does.
	"debug": false,
	# Called with each line; by default it is printed.
	"log": Callable(),
	# Nothing is stored or sent before set_consent(true). A stored decision counts in any case.
	"require_consent": false,
	# Well below the 30 minutes after which the service ends a silent session.
	"sync_interval_ms": 30000,
	# Entries that are sent at once: of the 50 of a request, so that those tracked meanwhile fit.
	"flush_at": 30,
	# Bytes that are sent at once: half of a request.
	"flush_at_bytes": 30000,
	# Entries and bytes that wait at most: a player's few hours offline. Then the oldest are dropped.
	"max_queued": 2000,
	"max_queued_bytes": 2097152,
	# To wait for an answer: the service answers in milliseconds, or says 503 after 10 seconds.
	"timeout_ms": 15000,
}


# What makes a client useless from the start; "" if nothing does.
static func fault(options: Dictionary) -> String:
	var base_url := _text(options, "base_url")
	var key := _text(options, "key")
	var player := _text(options, "player")
	if base_url == "":
		return "`base_url` is missing: the service's address, such as https://analytics.example.com."
	if not base_url.begins_with("http://") and not base_url.begins_with("https://"):
		return "`base_url` is no address: \"%s\" does not begin with https:// or http://." % base_url
	if key == "":
		return "`key` is missing: a client key of the game, pk_…"
	if key.begins_with("sk_"):
		return "`key` is a server key: players could read and use it. Use a client key, pk_…"
	if RegEx.create_from_string("^pk_[\\w-]+$").search(key) == null or key.to_utf8_buffer().size() != key.length():
		return "`key` is no client key: copy it whole; it begins with pk_."
	if player == "":
		return "`player` is missing: your own id of the player."
	# What programs make of an id that they do not have.
	var no_id := "(?i)^\\s*(undefined|null|<null>|nan|n/a|\\[object \\w+\\]|0{8}-(0{4}-){3}0{12})?\\s*$"
	if RegEx.create_from_string(no_id).search(player) != null:
		return "`player` is \"%s\", which would be many people: start when the id is known." % player
	return ""


static func _text(options: Dictionary, name: String) -> String:
	var value: Variant = options.get(name)
	return "" if value == null else str(value)


# All options, with the fields of the requests that begin a session.
static func complete(options: Dictionary) -> Dictionary:
	var all := options.merged(DEFAULTS)
	all["player"] = str(all["player"])
	var registration := {"external_id": all["player"]}
	if all["device_id"] != "":
		registration["device_id"] = all["device_id"]
	if not all["attributes"].is_empty():
		registration["attributes"] = all["attributes"]
	all["registration"] = registration
	var init_fields := {}
	if not all["device_info"].is_empty():
		init_fields["device_info"] = all["device_info"]
	if not all["flags"].is_empty():
		init_fields["requested_flags"] = all["flags"]
	all["init_fields"] = init_fields
	return all
