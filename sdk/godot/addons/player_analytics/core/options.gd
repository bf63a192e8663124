extends RefCounted
# The options of a client, beside `base_url`, `key` and `player`.

const DEFAULTS := {
	# Sent with the registration.
	"device_id": "",
	# Sent with the registration.
	"attributes": {},
	# Members: platform, os_version, app_version, device_model.
	"device_info": {},
	# Only these flags; all when empty.
	"flags": [],
	# That your server signed for the player.
	"player_token": "",
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
