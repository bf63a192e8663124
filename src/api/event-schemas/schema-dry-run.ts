import type { SampleEvent } from '../../../clickhouse-schema/queries/lookups/newest-of-name.ts';
import type { EventCheck } from '../../event-schemas/compile-event-schema.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_API_LIMITS } from './limits.ts';
import { LOOKUP_LIMITS } from '../../../clickhouse-schema/queries/lookups/limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { answer, type Answer } from '../route/answer.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy } from '../route/route.ts';
import { DRY_RUN_EXAMPLE, DryRunBody, DryRunResult } from './schema-dry-run-resource.ts';

/* The route that checks recent events against a schema that need not exist. It changes nothing. */

export const dryRunEventSchema = defineRoute({
  method: 'POST',
  path: '/v1/events/schemas/dry-run',
  tag: 'Event schemas',
  summary: 'Check recent events against a schema',
  description:
    'Use it before you create or change a schema, or enforce it. It checks the newest events with the name, quarantined ' +
    'ones included, and says how many the schema would refuse and why. It changes nothing, and stops after ' +
    `${LOOKUP_LIMITS.dryRunMs / 1000} seconds or 4 MiB of properties.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  // Checks a thousand events, which costs time.
  ...readBy('analyst'),
  readsOnly: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: { body: DryRunBody },
  example: {
    event_name: 'level_completed',
    schema: { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] },
  },
  reply: { description: 'The result.', schema: DryRunResult, example: DRY_RUN_EXAMPLE },
  action: { kind: 'service', call: ({ body }, context) => dryRun(body.event_name, body.schema, body.limit, context) },
});

async function dryRun(
  eventName: string,
  schema: JsonObject,
  limit: number = LOOKUP_LIMITS.dryRunEventsDefault,
  { key, services }: RequestContext,
): Promise<Answer> {
  const compiled = await services.eventSchemas.compile(schema);
  if (compiled.kind === 'invalid') {
    return invalid(compiled.faults.map(({ path, message }) => ({ path: `/schema${path}`, message })));
  }
  const { game, environment } = key;
  const found = await services.analytics.lookups.newestOfName({ game, environment, eventName, limit });
  if (found.kind === 'unavailable') return clickHouseUnavailable();
  const tally = await checkAll(found.value, compiled.check, services);
  const { checked, faulty, faults } = tally;
  const oldest = found.value[checked - 1];
  const head = JSON.stringify({
    event_name: eventName,
    events_checked: checked,
    events_valid: checked - faulty.length,
    events_invalid: faulty.length,
    quarantined_valid: tally.quarantinedValid,
    oldest_received_at: formatTimestampOrNull(oldest?.receivedAt),
    stopped_early: checked < found.value.length,
    faults: [...faults.values()]
      .toSorted((one, other) => other.events - one.events)
      .slice(0, EVENT_SCHEMA_API_LIMITS.dryRunFaults),
  });
  const examples = faulty.slice(0, EVENT_SCHEMA_API_LIMITS.dryRunExamples).map(exampleText);
  return answer(`${head.slice(0, -1)},"examples":[${examples.join(',')}]}`);
}

interface FaultyEvent {
  event: SampleEvent;
  faults: readonly FieldFault[];
}

interface Tally {
  checked: number;
  faulty: FaultyEvent[];
  /** Quarantined events that the schema would accept. */
  quarantinedValid: number;
  faults: Map<string, { path: string; message: string; events: number }>;
}

/** Checks events in turns with other requests, within `dryRunMs`. */
async function checkAll(
  events: readonly SampleEvent[],
  check: EventCheck,
  { clock, eventSchemas }: Pick<RequestContext['services'], 'clock' | 'eventSchemas'>,
): Promise<Tally> {
  const tally: Tally = { checked: 0, faulty: [], quarantinedValid: 0, faults: new Map() };
  const deadlineMs = clock.monotonicMs() + LOOKUP_LIMITS.dryRunMs;
  let turnBeganMs = clock.monotonicMs();
  for (const event of events) {
    const properties: Record<string, unknown> = JSON.parse(event.properties);
    let faults = check.faultsOf(properties, event.properties.length);
    if (faults === 'uncompiled') {
      await eventSchemas.compileAllFaults(check);
      faults = check.faultsOf(properties, event.properties.length);
    }
    note(tally, event, faults === 'uncompiled' ? [] : faults);
    const nowMs = clock.monotonicMs();
    if (nowMs >= deadlineMs) break;
    if (nowMs - turnBeganMs < EVENT_SCHEMA_API_LIMITS.replayTurnMs) continue;
    await sleep(clock, 0);
    turnBeganMs = clock.monotonicMs();
  }
  return tally;
}

function note(tally: Tally, event: SampleEvent, faults: readonly FieldFault[]): void {
  tally.checked += 1;
  if (faults.length === 0) {
    if (event.quarantined) tally.quarantinedValid += 1;
    return;
  }
  tally.faulty.push({ event, faults });
  for (const { path, message } of faults) {
    const line = `${path} ${message}`;
    const known = tally.faults.get(line);
    if (known === undefined) tally.faults.set(line, { path, message, events: 1 });
    else known.events += 1;
  }
}

/** Properties are JSON text of a caller. */
function exampleText({ event, faults }: FaultyEvent): string {
  const head = JSON.stringify({
    event_id: event.eventId,
    player_id: event.playerId,
    received_at: formatTimestamp(event.receivedAt),
    quarantined: event.quarantined,
    faults,
  });
  return `${head.slice(0, -1)},"properties":${event.properties}}`;
}
