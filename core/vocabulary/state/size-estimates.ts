import { STATE_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../kernel/text/limits.ts';
import type { CommandBody, QueryBody, TrackItem } from '../commands/commands.ts';
import type { ComputedEvents, ComputedUpdate, ComputedValue } from '../documents/computed.ts';
import type { DomainFact } from '../facts/facts.ts';
import type { EventTally, ImportHistory, PlayerHistory } from '../commands/import.ts';
import { NO_OLDER_EVENTS, type OlderEvents, type OpenSession } from './player.ts';
import type { Intervention, Reply, SessionFlag } from '../commands/replies.ts';
import type { EntityState, LedgerState } from './state.ts';

/*
 * All estimates of sizes: of facts, commands, queries and replies in characters, of states in characters and in bytes
 * of memory. They bound records, messages and caches, and are cheaper than encoding.
 *
 * Accuracy: the encoded form takes at most three bytes per estimated character, plus its envelope. UTF-8 takes at most
 * three bytes per UTF-16 unit. The test holds it for values with the longest texts of three-byte characters.
 */

/** Names, ids and numbers of a fact; texts are counted separately. */
const FACT_CHARS = 400;
/** The same for an event. */
const EVENT_CHARS = 300;

/** Characters of a fact in a record. The kinds that may come in thousands are not walked through. */
export function factChars(fact: DomainFact): number {
  if (fact.kind === 'EventTracked') {
    const { externalId, country, forgets = '', schemaFault = '' } = fact;
    const texts = externalId.length + country.length + forgets.length + schemaFault.length;
    return itemChars(fact) + texts + updatesChars(fact.computed);
  }
  if (fact.kind === 'EventImported') {
    return itemChars(fact) + fact.externalId.length + fact.country.length + updatesChars(fact.computed);
  }
  if (fact.kind === 'EventsImported') {
    const { externalId, country, packed, tallies, computed } = fact;
    const texts = externalId.length + country.length + talliesChars(tallies);
    return FACT_CHARS + texts + packedChars(packed.bytes) + computedChars(computed);
  }
  if (fact.kind === 'HistoryImported') return FACT_CHARS;
  if (fact.kind === 'PlayerListed') return mostListedChars(fact.dropped?.length);
  if (fact.kind === 'IdempotencyKeyUsed') return FACT_CHARS + replyChars(fact.reply);
  return FACT_CHARS + charsIn(fact);
}

/** What an event adds to one property, without a text as its value. */
const UPDATE_CHARS = 40;

function updatesChars(updates: readonly ComputedUpdate[] = []): number {
  let chars = 0;
  for (const { id, value } of updates)
    chars += UPDATE_CHARS + id.length + (typeof value === 'string' ? value.length : 0);
  return chars;
}

/** Numbers of one value of a property, and of the time of its event. */
const VALUE_CHARS = 12;

function computedChars({ properties, events }: ComputedEvents = NO_EVENTS): number {
  let chars = updatesChars(properties.map((property) => ({ ...property, value: 0 })));
  for (const { values } of events) {
    chars += VALUE_CHARS;
    for (const [, value] of values) chars += VALUE_CHARS + (typeof value === 'string' ? value.length : 0);
  }
  return chars;
}

const NO_EVENTS: ComputedEvents = { properties: [], events: [] };

/** The id of a named property: its key, a separator and the hash of its content. */
const ID_CHARS = STATE_LIMITS.propertyKeyLength + 12;

/** What one event adds to all properties, at most. */
const MOST_UPDATES_CHARS = STATE_LIMITS.computedPerEvent * (UPDATE_CHARS + ID_CHARS + STATE_LIMITS.computedTextLength);

/** Characters of the facts of imported lines, at most, without those of memberships and of computed properties. */
export function mostImportChars({ players }: Pick<ImportHistory, 'players'>): number {
  return players.reduce((sum, history) => sum + mostHistoryChars(history), FACT_CHARS);
}

/** A player is registered and gets its events and its lifecycle. Each other line makes at most three facts. */
function mostHistoryChars(history: PlayerHistory): number {
  const factChars = FACT_CHARS + TEXT_LIMITS.externalIdLength;
  const profiles = history.others.filter(({ player }) => player !== undefined).length;
  return (
    (IMPORT_FACTS + 3 * history.others.length) * factChars +
    STATE_LIMITS.countryLength +
    profiles * 2 * TEXT_LIMITS.documentBytes +
    historyChars(history)
  );
}

/** Characters of the fact of one listed player, at most. @param dropped number of dropped segments */
export function mostListedChars(dropped = 0): number {
  return FACT_CHARS + (STATE_LIMITS.listLoadsOfPlayer + 1) * LOAD_CHARS + dropped * SEGMENT_CHARS;
}

const LOAD_CHARS = 40;
const SEGMENT_CHARS = 60;

const IMPORT_FACTS = 3;

/** Texts and bytes of one player's lines. */
function historyChars({ externalId, events, others }: PlayerHistory): number {
  const packed = events === undefined ? 0 : packedChars(events.packed.bytes) + talliesChars(events.tallies);
  return packed + externalId.length + others.reduce((sum, other) => sum + charsIn(other), 0);
}

/** Bytes are written as they are, and an estimated character stands for up to three bytes. */
const packedChars = ({ length }: Uint8Array): number => Math.ceil(length / 3);

/** Numbers of a tally beside its name. */
const TALLY_CHARS = 10;

function talliesChars(tallies: readonly EventTally[]): number {
  return tallies.reduce((sum, [name]) => sum + name.length + TALLY_CHARS, 0);
}

/** Characters of the facts of events, at most, before they are decided. */
export function mostEventChars(items: readonly TrackItem[]): number {
  const playerChars =
    TEXT_LIMITS.externalIdLength + STATE_LIMITS.countryLength + TEXT_LIMITS.nameLength + MOST_UPDATES_CHARS;
  return items.reduce((sum, item) => sum + itemChars(item) + faultChars(item) + playerChars, 0);
}

function itemChars(item: Pick<TrackItem, 'eventId' | 'eventName' | 'properties' | 'sessionId'>): number {
  const { eventId, eventName, properties, sessionId } = item;
  return EVENT_CHARS + eventId.length + eventName.length + properties.length + (sessionId?.length ?? 0);
}

function faultChars({ quarantine, schemaFault }: TrackItem): number {
  return (quarantine === undefined ? 0 : charsIn(quarantine)) + (schemaFault?.length ?? 0);
}

/** Names, ids and numbers of a command or an item; texts are counted separately. */
const COMMAND_CHARS = 300;

/** The number of a line takes five bytes. */
const LINE_CHARS = 2;

/** Characters of a command in a message. Events may come in thousands and are not walked through. */
export function commandChars(body: CommandBody): number {
  if (body.kind === 'ImportHistory') {
    return body.players.reduce(
      (sum, history) => sum + COMMAND_CHARS + LINE_CHARS * history.lines.length + historyChars(history),
      COMMAND_CHARS,
    );
  }
  if (body.kind !== 'TrackEvents') return COMMAND_CHARS + charsIn(body);
  return body.items.reduce((sum, item) => sum + itemChars(item) + faultChars(item), COMMAND_CHARS);
}

/** Names, ids and numbers of a query, and of a flag's key in it. */
const QUERY_CHARS = 500;
const KEY_CHARS = 5;

/** Characters of a query in a message. All except evaluations of flags are short. */
export function queryChars(body: QueryBody): number {
  if (body.kind === 'PreviewSegment') return QUERY_CHARS + charsIn(body);
  if (body.kind !== 'EvaluateFlags') return QUERY_CHARS;
  const keys = body.flagKeys === 'all' ? 0 : body.flagKeys.reduce((sum, key) => sum + key.length + KEY_CHARS, 0);
  return QUERY_CHARS + keys + body.context.length;
}

/** Characters that a text, an array or an object takes beside its content; a number takes as many. */
const OVERHEAD_CHARS = 8;

/** Characters of any value, where the names of an object's properties are written once per message. */
function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length + OVERHEAD_CHARS;
  if (typeof value !== 'object' || value === null) return OVERHEAD_CHARS;
  let chars = OVERHEAD_CHARS;
  for (const item of Object.values(value)) chars += charsIn(item);
  return chars;
}

/** Names, ids and numbers of a reply, without the texts that are counted. */
const REPLY_CHARS = 400;
/** Separators around each text of a list. */
const ITEM_CHARS = 4;

/** Approximate characters of a reply to a gateway, in a fact, or stored under an Idempotency-Key. */
export function replyChars(reply: Reply): number {
  switch (reply.kind) {
    case 'player':
      return (
        REPLY_CHARS +
        playerChars(reply.player) +
        (reply.player.deviceId?.length ?? 0) +
        (reply.player.email?.length ?? 0) +
        (reply.computed?.length ?? 0)
      );
    case 'tracked':
      return REPLY_CHARS + reply.results.length * REPLY_CHARS;
    case 'flags':
      return reply.evaluations.reduce((sum, { value }) => sum + REPLY_CHARS + value.length, REPLY_CHARS);
    case 'overridden':
      return REPLY_CHARS + (reply.value?.length ?? 0);
    case 'sessionOpened':
      return (
        REPLY_CHARS +
        playerChars(reply.player) +
        sessionFlagsChars(reply.flags) +
        charsOfAll(reply.unknownFlags) +
        charsOfAll(reply.segmentKeys)
      );
    case 'sessionSynced':
      return REPLY_CHARS + sessionFlagsChars(reply.flags) + charsOfInterventions(reply.interventions);
    case 'sessionEnded':
      return REPLY_CHARS + charsOfAll(reply.achievements);
    case 'exported':
      return charsIn(reply.player);
    case 'churnRisk':
    case 'imported':
    case 'listed':
    case 'previewed':
    case 'failure':
      return REPLY_CHARS + charsIn(reply);
    case 'claimed':
    case 'erased':
    case 'sessionRecorded':
    case 'purchaseRecorded':
    case 'lifecycle':
    case 'noted':
      return REPLY_CHARS;
  }
}

function playerChars({ externalId, attributes }: { externalId: string; attributes: string }): number {
  return externalId.length + attributes.length;
}

/** Approximate characters of the flags of a reply. */
function sessionFlagsChars(flags: readonly SessionFlag[]): number {
  return flags.reduce(
    (sum, { flagKey, variant, value = '', reason }) =>
      sum + flagKey.length + (variant?.length ?? 0) + value.length + reason.length + 4 * ITEM_CHARS,
    0,
  );
}

/** Approximate characters of a list of texts. */
function charsOfAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + ITEM_CHARS, 0);
}

function charsOfInterventions(interventions: readonly Intervention[]): number {
  return interventions.reduce(
    (sum, { content: { title, body, cta } }) => sum + REPLY_CHARS + title.length + body.length + cta.length,
    0,
  );
}

/** Objects, numbers and map slots of one entity, measured as about a kilobyte beside its texts. */
const ENTITY_BYTES = 1_000;
const RECENT_EVENT_BYTES = 280;
/** A block of older events beside its bytes. */
const BLOCK_BYTES = 250;
const COUNTER_BYTES = 200;
const MEMBERSHIP_BYTES = 150;
const FLAG_BYTES = 150;
const SERVED_BYTES = 400;
const SHARED_BYTES = 16;
const SESSION_BYTES = 400;
const DAY_BYTES = 16;
const RECORDED_BYTES = 120;
const CAMPAIGN_BYTES = 300;
const RANGE_BYTES = 40;
const COMPUTED_BYTES = 120;
const BUCKET_ITEM_BYTES = 9;
const PROPERTY_BYTES = 150;

/** Characters of a state in a record. In memory players share the results of flags; a record repeats them. */
export function stateChars(state: EntityState): number {
  if (state.kind !== 'player') return stateBytes(state);
  return state.servedFlags.reduce(
    (sum, { flagKey, variantKey, value }) =>
      sum + SHARED_CHARS + flagKey.length + (variantKey?.length ?? 0) + (value?.length ?? 0),
    stateBytes(state),
  );
}

/** Numbers and the segment of one flag's result. */
const SHARED_CHARS = 20;

/** Rough bytes of an entity in memory. */
export function stateBytes(state: EntityState): number {
  const keys = state.keys.reduce((sum, entry) => sum + replyChars(entry.reply), 0);
  if (state.kind === 'ledger') {
    return ENTITY_BYTES + keys + (state.imports?.length ?? 0) * RECORDED_BYTES + propertiesBytes(state);
  }
  if (state.kind !== 'player') return ENTITY_BYTES + keys;
  const overrides = state.overrides.reduce((sum, { value }) => sum + FLAG_BYTES + value.length, 0);
  return (
    ENTITY_BYTES +
    keys +
    state.attributes.length +
    state.recentEvents.length * RECENT_EVENT_BYTES +
    olderEventsBytes(state.olderEvents) +
    state.counters.length * COUNTER_BYTES +
    (state.segments.length + (state.lists?.length ?? 0)) * MEMBERSHIP_BYTES +
    state.exposures.length * FLAG_BYTES +
    state.servedFlags.reduce((sum, { changes }) => sum + (changes === 0 ? SHARED_BYTES : SERVED_BYTES), 0) +
    overrides +
    state.sessions.reduce((sum, session) => sum + sessionBytes(session), 0) +
    state.activity.sessions.length * DAY_BYTES +
    (state.recordedSessions.length + state.recordedPurchases.length) * RECORDED_BYTES +
    (state.interventions.length + state.campaignTallies.length) * CAMPAIGN_BYTES +
    state.quarantine.released.length * RANGE_BYTES +
    computedBytes(state.computed)
  );
}

function computedBytes(values: readonly ComputedValue[] = []): number {
  let bytes = 0;
  for (const { id, buckets } of values) {
    bytes += COMPUTED_BYTES + id.length + buckets.length * BUCKET_ITEM_BYTES;
    for (const item of buckets) if (typeof item === 'string') bytes += item.length;
  }
  return bytes;
}

function propertiesBytes({ properties }: LedgerState): number {
  return properties?.list.reduce((sum, { spec }) => sum + PROPERTY_BYTES + spec.length, 0) ?? 0;
}

function olderEventsBytes({ client, server }: OlderEvents = NO_OLDER_EVENTS): number {
  return [...client, ...server].reduce((sum, block) => sum + BLOCK_BYTES + block.length, 0);
}

function sessionBytes({ flagKeys, flags, achievements, platform, appVersion }: OpenSession): number {
  const texts = charsOfAll(flagKeys ?? []) + charsOfAll(achievements) + charsOfAll([platform ?? '', appVersion ?? '']);
  return SESSION_BYTES + flags.length * FLAG_BYTES + texts;
}
