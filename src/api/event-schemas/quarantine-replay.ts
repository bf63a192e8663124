import { Type, type Static } from 'typebox';
import type { TrackItem } from '../../../actors/vocabulary/commands.ts';
import type { QuarantinedRow } from '../../../clickhouse-schema/queries/quarantine-query.ts';
import type { Verdict } from '../../event-schemas/event-schemas.ts';
import { sleep } from '../../kernel/clock.ts';
import { failure, type ErrorCode, type Failure, type FieldFault } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer, type Answer } from '../answer.ts';
import { claimKey } from '../definitions/definition-writes.ts';
import { PlayerId } from '../fields.ts';
import { firstOf, Warnings } from '../events/validated-event.ts';
import { NextCursor } from '../paging.ts';
import { decodePlace, encodePlace } from '../place-cursor.ts';
import { EventFilterFields, eventFilter } from '../events/found-event.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';

/** Unknown fields are refused: with a misspelt one everything would be replayed. */
const Body = Type.Object(
  {
    ...EventFilterFields,
    event_ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.callerIdLength }), {
        minItems: 1,
        maxItems: LIMITS.replayEvents,
        description: `Only events of these ids, 1 to ${LIMITS.replayEvents}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.cursorLength,
        description: '`next_cursor` of the call before, with the same filters.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Which quarantined events to replay; all of them when nothing is said.' },
);
type Body = Static<typeof Body>;

const Replayed = Type.Object(
  {
    replayed: Type.Integer({ description: 'Events tracked now.' }),
    failed: Type.Integer({ description: 'Events that stay in quarantine.' }),
    already_replayed: Type.Integer({ description: 'Events that were tracked before; nothing happened to them.' }),
    failures: Type.Array(
      Type.Object(
        {
          event_id: Type.String({ description: 'The event.' }),
          event_name: Type.String({ description: 'Event type identifier.' }),
          player_id: PlayerId,
          code: Type.String({ description: 'Code of the error catalogue.' }),
          message: Type.String({ description: 'Why it stays.' }),
          warnings: Type.Optional(Warnings),
        },
        { description: 'An event that stays, and why.' },
      ),
      { description: `Events that stay, the first ${LIMITS.reportedFaults}.` },
    ),
    next_cursor: NextCursor,
  },
  { description: 'What became of the events that one call looked at.' },
);

export const replayQuarantine = defineRoute({
  method: 'POST',
  path: '/v1/events/quarantine/replay',
  tag: 'Event schemas',
  summary: 'Replay quarantined events',
  description:
    'After a schema was mended: asks the schemas of today about quarantined events, oldest first, and tracks those that it would ' +
    'accept now, under their own ids and timestamps; `received_at` is the time of the replay, on which counters and stages go. Each ' +
    'event is tracked once, however often and from wherever it is replayed. A call looks at a bounded number of events: go on with ' +
    '`next_cursor` until it is null. After a 503 the same call may be repeated.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  idempotent: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: { body: Body },
  reply: {
    statuses: [200],
    description: 'What was replayed is durable.',
    schema: Replayed,
    example: { replayed: 240, failed: 0, already_replayed: 0, failures: [], next_cursor: null },
  },
  example: { event_name: 'level_completed', from: '2026-01-15T00:00:00Z' },
  action: { kind: 'handle', handle: ({ body }, context) => replay(body, context) },
});

type Failed = Omit<Static<typeof Replayed>['failures'][number], 'warnings'> & { warnings?: FieldFault[] };

async function replay(body: Body, context: RequestContext): Promise<Answer> {
  const { key, services } = context;
  const filter = eventFilter(body, key);
  if ('code' in filter) return filter;
  const eventIds = body.event_ids;
  const asked = ['replay', ...Object.values(filter), eventIds];
  const behind = body.cursor === undefined ? undefined : decodePlace(body.cursor, asked);
  if (body.cursor !== undefined && behind === undefined) {
    return invalid([{ path: '/cursor', message: 'is not a cursor of this replay' }]);
  }
  // A key that comes again changes nothing here: no event is tracked twice, with or without one.
  const claimed = await claimKey(context);
  if (claimed.kind === 'failure') return claimed;
  const page = await services.analytics.quarantined({
    ...filter,
    eventIds,
    order: 'oldest_first',
    // Who names events is told of each of them; nobody else wants to wade through what is done.
    withReleased: eventIds !== undefined,
    behind,
    limit: LIMITS.replayEvents,
    bytes: LIMITS.replayBytes,
  });
  if (page.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const { events, next } = page.value;
  const { good, failed } = await validated(events, context);
  const sent = await release(good, context);
  if ('code' in sent) return sent;
  const shown = {
    replayed: sent.replayed,
    failed: failed.length + sent.failed.length,
    already_replayed: events.length - failed.length - sent.failed.length - sent.replayed,
    failures: [...failed, ...sent.failed].slice(0, LIMITS.reportedFaults),
    next_cursor: next === undefined ? null : encodePlace(next, asked),
  };
  return answer(JSON.stringify(shown), { replayed: claimed.replayed });
}

/** An event that today's schema would let pass. */
type Releasable = QuarantinedRow & Pick<TrackItem, 'schemaFault'>;

/** Asks today's schemas about events that were not released yet, and lets others have their turn meanwhile. */
async function validated(
  events: readonly QuarantinedRow[],
  { key, services: { clock, eventSchemas } }: RequestContext,
): Promise<{ good: Releasable[]; failed: Failed[] }> {
  const good: Releasable[] = [];
  const failed: Failed[] = [];
  let turnBeganMs = clock.monotonicMs();
  for (const event of events) {
    if (event.released) continue;
    const { eventName, properties } = event;
    const found = eventSchemas.validate(key, eventName, JSON.parse(properties), properties.length);
    const verdict = found instanceof Promise ? await found : found;
    if (verdict?.mode === 'enforce') failed.push(refused(event, verdict));
    else good.push(verdict === undefined ? event : { ...event, schemaFault: firstOf(verdict.faults) });
    if (clock.monotonicMs() - turnBeganMs < LIMITS.replayTurnMs) continue;
    await sleep(clock, 0);
    turnBeganMs = clock.monotonicMs();
  }
  return { good, failed };
}

function refused(event: QuarantinedRow, { version, faults }: Verdict): Failed {
  const message = `Version ${version} of the schema refuses it too.`;
  return { ...stays(event, 'VALIDATION_ERROR', message), warnings: faults };
}

function stays(event: QuarantinedRow, code: ErrorCode, message: string): Failed {
  return { event_id: event.eventId, event_name: event.eventName, player_id: event.playerId, code, message };
}

/** Has the owners track events, each of them deciding whether that was done before. Fails when one of them can't be reached. */
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
  for (const [place, reply] of replies.entries()) {
    if (reply.kind === 'failure') return reply;
    if (reply.kind !== 'tracked') throw new Error(`a replay was answered with ${reply.kind}`);
    for (const { index, status, error } of reply.results) {
      const event = commands[place]?.[index];
      if (status === 'accepted') replayed += 1;
      if (error !== undefined && event !== undefined) failed.push(stays(event, error.code, error.message));
    }
  }
  return { replayed, failed };
}

/** Events in order, cut into what one command may hold. */
function* commandsOf(events: readonly Releasable[]): Generator<Releasable[]> {
  let group: Releasable[] = [];
  let chars = 0;
  for (const event of events) {
    const isFull = group.length === LIMITS.replayCommandEvents || chars >= LIMITS.replayCommandChars;
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
    // Whether it is remembered was settled when it was set aside.
    remember: false,
    eventName,
    properties,
    sessionId,
    timestamp,
    release: { number: event.number, quarantinedAt: event.receivedAt, ...(by === undefined ? {} : { by }) },
    ...(schemaFault === undefined ? {} : { schemaFault }),
  };
}
