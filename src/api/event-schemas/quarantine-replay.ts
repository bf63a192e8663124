import { Type, type Static } from 'typebox';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { QuarantinedRow } from '../../../clickhouse-schema/queries/events/quarantine-query.ts';
import type { Verdict } from '../../event-schemas/event-schemas.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { ErrorCode, Failure, FieldFault } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { EVENT_SCHEMA_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { claimKey } from '../definitions/definition-writes.ts';
import { PlayerId } from '../input/fields.ts';
import { firstOf, Warnings } from '../events/validated-event.ts';
import { NextCursor, NOT_A_CURSOR } from '../input/paging.ts';
import { decodePlace, encodePlace } from '../input/place-cursor.ts';
import { EventFilterFields, eventFilter } from '../events/found-event.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid } from '../route/route.ts';

/* The route that replays quarantined events. Owners track each event once, so a replay can be repeated at any point. */

/** Unknown fields are refused, since a misspelt filter would replay every event. */
const Body = Type.Object(
  {
    ...EventFilterFields,
    event_ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: TEXT_LIMITS.callerIdLength }), {
        minItems: 1,
        maxItems: EVENT_SCHEMA_API_LIMITS.replayEvents,
        description: `Only events with these ids, 1 to ${EVENT_SCHEMA_API_LIMITS.replayEvents} ids.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: API_LIMITS.cursorLength,
        description: '`next_cursor` of the previous call. Send it with the same filters.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Filters for the quarantined events to replay. Without filters, all of them are replayed.',
  },
);
type Body = Static<typeof Body>;

const Replayed = Type.Object(
  {
    replayed: Type.Integer({ description: 'Number of events tracked by this call.' }),
    failed: Type.Integer({ description: 'Number of events that stay in quarantine.' }),
    already_replayed: Type.Integer({
      description: 'Number of events that were replayed earlier; this call did not change them.',
    }),
    failures: Type.Array(
      Type.Object(
        {
          event_id: Type.String({ description: 'Id of the event.' }),
          event_name: Type.String({ description: 'Name of the event.' }),
          player_id: PlayerId,
          code: Type.String({ description: 'Error code.' }),
          message: Type.String({ description: 'Why the event stays in quarantine.' }),
          warnings: Type.Optional(Warnings),
        },
        { description: 'An event that stays in quarantine.' },
      ),
      { description: `The first ${VALIDATION_LIMITS.reportedFaults} events that stay in quarantine.` },
    ),
    next_cursor: NextCursor,
  },
  { description: 'Result of replaying the events of one call.' },
);

export const replayQuarantine = defineRoute({
  method: 'POST',
  path: '/v1/events/quarantine/replay',
  tag: 'Event schemas',
  summary: 'Replay quarantined events',
  description:
    'Use it after you correct a schema. It validates quarantined events against the current schemas, oldest first, ' +
    'and tracks the valid ones with their own ids and timestamps. `received_at` becomes the time of the replay, and ' +
    'counters and stages use that time. Each event is tracked once, however often it is replayed. A call processes a ' +
    'limited number of events: continue with `next_cursor` until it is null. After a 503 you can repeat the call.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'editor',
  scope: 'operate',
  audit: { kind: 'quarantine', action: 'replayed' },
  approval: 'none',
  idempotent: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: { body: Body },
  reply: {
    description: 'The replayed events are durable.',
    schema: Replayed,
    example: { replayed: 240, failed: 0, already_replayed: 0, failures: [], next_cursor: null },
  },
  example: { event_name: 'level_completed', from: '2026-01-15T00:00:00Z' },
  action: { kind: 'several', handle: ({ body }, context) => replay(body, context) },
});

type Failed = Omit<Static<typeof Replayed>['failures'][number], 'warnings'> & { warnings?: FieldFault[] };

async function replay(body: Body, context: RequestContext): Promise<Answer> {
  const { key, services } = context;
  const named = body.player_id?.toLowerCase();
  const account = named === undefined ? undefined : await services.merges.accountOf(context.origin, named);
  if (account?.kind === 'failure') return account;
  const filter = eventFilter(account === undefined ? body : { ...body, player_id: account.playerId }, key);
  if ('code' in filter) return filter;
  const eventIds = body.event_ids;
  const filters = ['replay', ...Object.values(filter), eventIds];
  const behind = body.cursor === undefined ? undefined : decodePlace(body.cursor, filters);
  if (body.cursor !== undefined && behind === undefined) {
    return invalid([{ path: '/cursor', message: NOT_A_CURSOR }]);
  }
  // A repeat may run again: no event is tracked twice, with or without an Idempotency-Key.
  const claimed = await claimKey(context);
  if (claimed.kind === 'failure') return claimed;
  const page = await services.analytics.quarantined({
    ...filter,
    eventIds,
    order: 'oldest_first',
    // Events named by id are all reported; other replays skip those that are already replayed.
    withReleased: eventIds !== undefined,
    behind,
    limit: EVENT_SCHEMA_API_LIMITS.replayEvents,
    bytes: EVENT_SCHEMA_API_LIMITS.replayBytes,
  });
  if (page.kind === 'unavailable') return clickHouseUnavailable();
  const { events, next } = page.value;
  const { valid, failed } = await validated(events, context);
  const sent = await release(valid, context);
  if ('code' in sent) return sent;
  const shown = {
    replayed: sent.replayed,
    failed: failed.length + sent.failed.length,
    already_replayed: events.length - failed.length - sent.failed.length - sent.replayed,
    failures: [...failed, ...sent.failed].slice(0, VALIDATION_LIMITS.reportedFaults),
    next_cursor: next === undefined ? null : encodePlace(next, filters),
  };
  return jsonAnswer(shown, { replayed: claimed.replayed });
}

/** An event that the current schemas accept. */
type Releasable = QuarantinedRow & Pick<TrackItem, 'schemaFault'>;

/** Validates the events that are not replayed yet against the current schemas, and yields to other requests. */
async function validated(
  events: readonly QuarantinedRow[],
  { key, services: { clock, eventSchemas } }: RequestContext,
): Promise<{ valid: Releasable[]; failed: Failed[] }> {
  const valid: Releasable[] = [];
  const failed: Failed[] = [];
  let turnBeganMs = clock.monotonicMs();
  for (const event of events) {
    if (event.released) continue;
    const { eventName, properties } = event;
    const found = eventSchemas.validate(key, eventName, JSON.parse(properties), properties.length);
    const verdict = found instanceof Promise ? await found : found;
    if (verdict?.mode === 'enforce') failed.push(refused(event, verdict));
    else valid.push(verdict === undefined ? event : { ...event, schemaFault: firstOf(verdict.faults) });
    if (clock.monotonicMs() - turnBeganMs < EVENT_SCHEMA_API_LIMITS.replayTurnMs) continue;
    await sleep(clock, 0);
    turnBeganMs = clock.monotonicMs();
  }
  return { valid, failed };
}

function refused(event: QuarantinedRow, { version, faults }: Verdict): Failed {
  const message = `The event violates version ${version} of the schema, too; see \`warnings\`.`;
  return { ...stays(event, 'VALIDATION_ERROR', message), warnings: faults };
}

function stays(event: QuarantinedRow, code: ErrorCode, message: string): Failed {
  return { event_id: event.eventId, event_name: event.eventName, player_id: event.playerId, code, message };
}

/** Sends the events to the owners of their players, who track each event once. Fails if an owner is unavailable. */
async function release(
  events: readonly Releasable[],
  { origin, services: { backend } }: RequestContext,
): Promise<{ replayed: number; failed: Failed[] } | Failure> {
  const byPartition = Map.groupBy(events, ({ playerId }) => backend.partitionOf(playerId));
  const commands = [...byPartition.values()].flatMap((group) => [...commandsOf(group)]);
  const replies = await Promise.all(
    commands.map((group) =>
      backend.send(origin, group[0]?.playerId ?? '', { kind: 'TrackEvents', items: group.map(itemOf) }),
    ),
  );
  let replayed = 0;
  const failed: Failed[] = [];
  for (const [number, reply] of replies.entries()) {
    if (reply.kind === 'failure') return reply;
    if (reply.kind !== 'tracked') throw new Error(`a replay was answered with ${reply.kind}`);
    for (const { index, status, error } of reply.results) {
      const event = commands[number]?.[index];
      if (status === 'accepted') replayed += 1;
      if (error !== undefined && event !== undefined) failed.push(stays(event, error.code, error.message));
    }
  }
  return { replayed, failed };
}

/** The events in order, split into groups that fit into one command. */
function* commandsOf(events: readonly Releasable[]): Generator<Releasable[]> {
  let group: Releasable[] = [];
  let chars = 0;
  for (const event of events) {
    const isFull =
      group.length === EVENT_SCHEMA_API_LIMITS.replayCommandEvents ||
      chars >= EVENT_SCHEMA_API_LIMITS.replayCommandChars;
    if (isFull) {
      yield group;
      group = [];
      chars = 0;
    }
    group.push(event);
    chars += event.properties.length;
  }
  if (group.length > 0) yield group;
}

function itemOf(event: Releasable, index: number): TrackItem {
  const { playerId, eventId, eventName, properties, sessionId, timestamp, schemaFault, by } = event;
  return {
    index,
    playerId,
    eventId,
    // The owner recorded the event's id when it quarantined the event.
    remember: false,
    eventName,
    properties,
    sessionId,
    timestamp,
    release: {
      number: event.number,
      quarantinedAt: event.receivedAt,
      ...(by === undefined ? {} : { by }),
      ...(event.guestId === undefined ? {} : { guestId: event.guestId }),
    },
    ...(schemaFault === undefined ? {} : { schemaFault }),
  };
}
