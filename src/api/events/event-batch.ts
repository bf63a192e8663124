import { Type } from 'typebox';
import { ledgerIdOf, type TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { ERRORS, failure, isTemporary, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { noteIgnored } from '../input/ignored-fields.ts';
import { Warnings } from './validated-event.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, forGames, ignorableFields, invalid } from '../route/route.ts';
import { TrackBody, trackItem } from './track-item.ts';
import { createTurns } from '../route/turns.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';
import { oneOf, textOrNull } from '../input/fields.ts';

/* The route that tracks a batch: one command per partition. An invalid event affects no other event. */

const ItemResult = Type.Object(
  {
    index: Type.Integer({ description: 'Index of the event in the request, from 0.' }),
    event_id: textOrNull(
      'The event_id that you sent or the service assigned; null if the event is invalid and has none.',
    ),
    status: oneOf(
      ['accepted', 'duplicate', 'rejected', 'quarantined', 'unavailable'],
      'Result for the event. Retry events that are `unavailable`.',
    ),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: 'Error code.' }),
          message: Type.String({ description: 'Explanation for people.' }),
          details: Type.Optional(Type.Object({}, { description: 'Details of the error; `fields` lists the faults.' })),
        },
        { description: 'Why the event was not accepted.' },
      ),
    ),
    warnings: Type.Optional(Warnings),
  },
  { description: 'Result for one event.' },
);

const BatchReply = Type.Object(
  {
    accepted: Type.Integer({ description: 'Number of events accepted by this request.' }),
    duplicates: Type.Integer({ description: 'Number of events that were accepted earlier.' }),
    rejected: Type.Integer({ description: 'Number of events rejected permanently.' }),
    quarantined: Type.Integer({ description: 'Number of events quarantined because they violate an enforced schema.' }),
    unavailable: Type.Integer({ description: 'Number of events that failed temporarily.' }),
    results: Type.Array(ItemResult, { description: 'One result per event, in the order of the request.' }),
  },
  { description: 'Result of a batch.' },
);

export const trackEvents = defineRoute({
  method: 'POST',
  path: '/v1/events/events/batch',
  tag: 'Events',
  summary: 'Track up to 100 events',
  description:
    'Events may belong to different players. Each event is validated on its own. The response is 200 if at least one ' +
    'event was accepted, else the error of the first one. With an Idempotency-Key, a repeat counts no event twice.',
  auth: { keys: ['client', 'server'] },
  players: 'each item',
  limitClass: 'events',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: {
    body: Type.Object({
      // Each item is validated on its own, so an invalid one does not affect the others; OpenAPI shows `x-items`.
      events: Type.Array(Type.Unknown(), {
        minItems: 1,
        maxItems: API_LIMITS.batchEvents,
        'x-items': TrackBody,
        description: `The events, 1 to ${API_LIMITS.batchEvents}.`,
      }),
    }),
  },
  takesFaultyItems: true,
  reply: {
    description: 'At least one event is durable.',
    schema: BatchReply,
    example: {
      accepted: 1,
      duplicates: 0,
      rejected: 0,
      quarantined: 0,
      unavailable: 0,
      results: [{ index: 0, event_id: '019bc0de-1234-7abc-8def-0123456789ab', status: 'accepted' }],
    },
  },
  example: {
    events: [{ player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', event_name: 'level_completed' }],
  },
  action: { kind: 'several', handle: ({ body }, context) => handleBatch(body.events, context) },
});

type ItemStatus = 'accepted' | 'duplicate' | 'rejected' | 'quarantined' | 'unavailable';

interface BatchResult {
  index: number;
  event_id: string | null;
  status: ItemStatus;
  error?: { code: Failure['code']; message: string; details?: Record<string, unknown> };
  warnings?: readonly FieldFault[];
}

const checkItem = compile(TrackBody, { dropsAbsentIn: 'value' });
const itemFields = ignorableFields(TrackBody) ?? new Set<string>();

async function handleBatch(events: unknown[], context: RequestContext): Promise<Answer> {
  const elsewhere = context.faults.filter((fault) => indexOf(fault) === undefined);
  if (elsewhere.length > 0) return invalid(elsewhere);
  // The scan for faults stops at this bound, so later events may have faults too.
  if (context.faults.length >= VALIDATION_LIMITS.reportedFaults) return invalid([...context.faults]);
  const results: BatchResult[] = [];
  const byPartition = new Map<number, TrackItem[]>();
  const warned = new Map<number, readonly FieldFault[]>();
  const turns = createTurns(context.services.clock);
  for (const [index, event] of events.entries()) {
    const pause = turns.pause();
    if (pause !== undefined) await pause;
    const validated = readItem(event, index, context);
    const read = validated instanceof Promise ? await validated : validated;
    if ('kind' in read) {
      results[index] = { index, event_id: callerId(event), ...refusal(read) };
      continue;
    }
    const { item, warnings } = read;
    if (warnings.length > 0) warned.set(index, warnings);
    const partition = context.services.backend.partitionOf(item.playerId);
    const group = byPartition.get(partition);
    if (group === undefined) byPartition.set(partition, [item]);
    else group.push(item);
  }
  const sent = await send([...byPartition.values()], context);
  if ('kind' in sent) return sent;
  for (const result of sent.results) results[result.index] = withWarnings(result, warned.get(result.index));
  return conclude(results, sent.replayed);
}

function withWarnings(result: BatchResult, warnings: readonly FieldFault[] | undefined): BatchResult {
  const isNew = result.status === 'accepted' || result.status === 'quarantined';
  return warnings === undefined || !isNew ? result : { ...result, warnings };
}

function readItem(event: unknown, index: number, context: RequestContext): ReturnType<typeof trackItem> {
  const path = `/events/${index}`;
  const valueFaults = context.faults.filter((fault) => indexOf(fault) === index);
  if (valueFaults.length > 0) return invalid(valueFaults);
  if (!checkItem.accepts(event)) {
    return invalid(checkItem.faultsOf(event).map((fault) => ({ path: path + fault.path, message: fault.message })));
  }
  noteIgnored(event, itemFields, 'events[].', context.ignored);
  return trackItem(event, index, 'batch', context, path);
}

/** Sends one command per partition. Claims the Idempotency-Key in the API key's ledger first. */
async function send(
  groups: TrackItem[][],
  { idempotency, key, origin, services: { backend } }: RequestContext,
): Promise<Failure | { results: BatchResult[]; replayed: boolean }> {
  const ledgerId = ledgerIdOf(key.id);
  if (idempotency !== undefined && groups.length > 0) {
    const claim = await backend.send(origin, ledgerId, { kind: 'ClaimIdempotencyKey', ledgerId, idempotency });
    if (claim.kind === 'failure') return claim;
  }
  const remembered = idempotency === undefined ? {} : { idempotency, ledgerId };
  const replies = await Promise.all(
    groups.map((items) =>
      backend.send(origin, items[0]?.playerId ?? '', { kind: 'TrackEvents', items, ...remembered }),
    ),
  );
  return {
    results: groups.flatMap((items, group) => resultsOf(items, replies[group])),
    replayed: replies.length > 0 && replies.every((reply) => 'replayed' in reply && reply.replayed),
  };
}

function resultsOf(items: TrackItem[], reply: Reply | undefined): BatchResult[] {
  if (reply?.kind === 'failure') {
    return items.map(({ index, eventId }) => ({ index, event_id: eventId, ...refusal(reply) }));
  }
  if (reply?.kind !== 'tracked') throw new Error(`a batch was answered with ${reply?.kind}`);
  return reply.results.map(({ index, eventId, status, error }) => {
    // The owner of a merged player's account may not have answered.
    const isSent = status !== 'moved' && (error === undefined || !isTemporary(error.code));
    const answered = { index, event_id: eventId, status: isSent ? status : ('unavailable' as const) };
    return error === undefined ? answered : { ...answered, error };
  });
}

/** Status and error of a failed item: `unavailable` if a retry may succeed, else `rejected`. */
function refusal(reason: Failure): Pick<BatchResult, 'status' | 'error'> {
  return {
    status: isTemporary(reason.code) ? 'unavailable' : 'rejected',
    error: {
      code: reason.code,
      message: reason.message ?? ERRORS[reason.code].message,
      ...(reason.details === undefined ? {} : { details: reason.details }),
    },
  };
}

function conclude(results: BatchResult[], replayed: boolean): Answer {
  const counts: Record<ItemStatus, number> = { accepted: 0, duplicate: 0, rejected: 0, quarantined: 0, unavailable: 0 };
  for (const { status } of results) counts[status] += 1;
  const { accepted, duplicate, rejected, quarantined, unavailable } = counts;
  const first = results.find((result) => result.error !== undefined)?.error;
  if (accepted + duplicate + quarantined === 0 && first !== undefined) {
    return failure(first.code, first.message, { ...first.details, results });
  }
  return jsonAnswer(
    { accepted, duplicates: duplicate, rejected, quarantined, unavailable, results },
    {
      replayed,
    },
  );
}

/** Index of the item with the fault; undefined if the fault is elsewhere in the body. */
function indexOf(fault: FieldFault): number | undefined {
  const match = /^\/events\/(\d+)/.exec(fault.path);
  return match === null ? undefined : Number(match[1]);
}

function callerId(event: unknown): string | null {
  if (!isPlainObject(event)) return null;
  const id = event['event_id'];
  return typeof id === 'string' && id.length <= TEXT_LIMITS.callerIdLength ? id : null;
}
