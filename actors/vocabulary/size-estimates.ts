import { LIMITS } from '../../src/kernel/limits.ts';
import type { CommandBody, QueryBody, TrackItem } from './commands.ts';
import type { DomainFact } from './facts.ts';
import type { ImportHistory, ImportItem } from './import.ts';
import { NO_OLDER_EVENTS, type OlderEvents, type OpenSession, type SeenFlag } from './player.ts';
import type { Intervention, Reply } from './replies.ts';
import type { EntityState } from './state.ts';

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
    return itemChars(fact) + externalId.length + country.length + forgets.length + schemaFault.length;
  }
  if (fact.kind === 'EventImported') return itemChars(fact) + fact.externalId.length + fact.country.length;
  if (fact.kind === 'HistoryImported') return FACT_CHARS;
  if (fact.kind === 'IdempotencyKeyUsed') return FACT_CHARS + replyChars(fact.reply);
  return FACT_CHARS + charsIn(fact);
}

/** Characters of the facts of imported lines, at most, without those of memberships. */
export function mostImportChars({ items }: Pick<ImportHistory, 'items'>): number {
  return items.reduce((sum, item) => sum + mostLineChars(item), 0);
}

/** A line makes at most a player twice, its event, its purchase or session, and its lifecycle. */
function mostLineChars(item: ImportItem): number {
  const profile = item.player === undefined ? 0 : 2 * LIMITS.documentBytes;
  return IMPORT_FACTS * (FACT_CHARS + LIMITS.externalIdLength) + LIMITS.countryLength + profile + importedChars(item);
}

const IMPORT_FACTS = 5;

/** Texts of one line. */
function importedChars(item: ImportItem): number {
  const { event, session, purchase, player } = item;
  return charsIn(event) + charsIn(session) + charsIn(purchase) + charsIn(player) + item.externalId.length;
}

/** Characters of the facts of events, at most, before they are decided. */
export function mostEventChars(items: readonly TrackItem[]): number {
  const playerChars = LIMITS.externalIdLength + LIMITS.countryLength + LIMITS.nameLength;
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

/** Characters of a command in a message. Events may come in thousands and are not walked through. */
export function commandChars(body: CommandBody): number {
  if (body.kind === 'ImportHistory') {
    return body.items.reduce((sum, item) => sum + COMMAND_CHARS + importedChars(item), COMMAND_CHARS);
  }
  if (body.kind !== 'TrackEvents') return COMMAND_CHARS + charsIn(body);
  return body.items.reduce((sum, item) => sum + itemChars(item) + faultChars(item), COMMAND_CHARS);
}

/** Names, ids and numbers of a query, and of a flag's key in it. */
const QUERY_CHARS = 500;
const KEY_CHARS = 5;

/** Characters of a query in a message. All except evaluations of flags are short. */
export function queryChars(body: QueryBody): number {
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
        (reply.player.email?.length ?? 0)
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
        seenFlagsChars(reply.flags) +
        charsOfAll(reply.unknownFlags) +
        charsOfAll(reply.segmentKeys)
      );
    case 'sessionSynced':
      return REPLY_CHARS + seenFlagsChars(reply.flags) + charsOfInterventions(reply.interventions);
    case 'sessionEnded':
      return REPLY_CHARS + charsOfAll(reply.achievements);
    case 'exported':
      return charsIn(reply.player);
    case 'churnRisk':
    case 'imported':
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
function seenFlagsChars(flags: readonly SeenFlag[]): number {
  return flags.reduce((sum, { flagKey, variant }) => sum + flagKey.length + (variant?.length ?? 0) + 2 * ITEM_CHARS, 0);
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
  if (state.kind !== 'player') return ENTITY_BYTES + keys;
  const overrides = state.overrides.reduce((sum, { value }) => sum + FLAG_BYTES + value.length, 0);
  return (
    ENTITY_BYTES +
    keys +
    state.attributes.length +
    state.recentEvents.length * RECENT_EVENT_BYTES +
    olderEventsBytes(state.olderEvents) +
    state.counters.length * COUNTER_BYTES +
    state.segments.length * MEMBERSHIP_BYTES +
    state.exposures.length * FLAG_BYTES +
    state.servedFlags.reduce((sum, { changes }) => sum + (changes === 0 ? SHARED_BYTES : SERVED_BYTES), 0) +
    overrides +
    state.sessions.reduce((sum, session) => sum + sessionBytes(session), 0) +
    state.activity.sessions.length * DAY_BYTES +
    (state.recordedSessions.length + state.recordedPurchases.length) * RECORDED_BYTES +
    (state.interventions.length + state.campaignTallies.length) * CAMPAIGN_BYTES +
    state.quarantine.released.length * RANGE_BYTES
  );
}

function olderEventsBytes({ client, server }: OlderEvents = NO_OLDER_EVENTS): number {
  return [...client, ...server].reduce((sum, block) => sum + BLOCK_BYTES + block.length, 0);
}

function sessionBytes({ flagKeys, flags, achievements }: OpenSession): number {
  return SESSION_BYTES + flags.length * FLAG_BYTES + charsOfAll(flagKeys ?? []) + charsOfAll(achievements);
}
