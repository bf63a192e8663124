import { Type } from 'typebox';
import { LOOKUP_LIMITS } from '../../../clickhouse-schema/queries/lookups/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { timeOut } from '../input/fields.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';

/* The route that counts what schemas find in events. */

const DEFAULT_DAYS = 7;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Fault = Type.Object(
  {
    event_name: Type.String({ description: 'Name of the events.' }),
    fault: Type.String({ description: 'Path and rule, for example `/level must be integer`.' }),
    quarantined: Type.Boolean({
      description: 'Whether these events are in quarantine and not replayed; otherwise they were accepted.',
    }),
    events: count('Number of events.'),
    players: count('Number of their players, about 1 % exact.'),
    first_seen_at: timeOut('Receipt of the oldest one.'),
    last_seen_at: timeOut('Receipt of the newest one.'),
    example_event_id: Type.String({ description: 'Id of the newest one.' }),
  },
  { description: 'A fault of events with one name.' },
);

export const listSchemaFaults = defineRoute({
  method: 'GET',
  path: '/v1/events/schema-faults',
  tag: 'Event schemas',
  summary: 'Count the schema faults of events',
  description:
    'Counts events by name and first fault: accepted ones (modes `observe` and `warn`), and quarantined ones until they ' +
    'are replayed. About a second behind.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      event_name: Type.Optional(
        Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description: 'Only events with this name.' }),
      ),
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LOOKUP_LIMITS.schemaFaultDays,
          description: `Only events received in the last days, counted back from now. Default: ${DEFAULT_DAYS}.`,
        }),
      ),
    }),
  },
  reply: {
    description: 'The faults.',
    schema: Type.Object(
      {
        faults: Type.Array(Fault, {
          description: `The most frequent ones first, at most ${LOOKUP_LIMITS.schemaFaults}.`,
        }),
        since: timeOut('Events received from then on are counted.'),
      },
      { description: 'Schema faults.' },
    ),
    example: {
      faults: [
        {
          event_name: 'level_completed',
          fault: '/level must be integer',
          quarantined: true,
          events: 240,
          players: 12,
          first_seen_at: '2026-01-14T10:30:00.512Z',
          last_seen_at: '2026-01-15T10:30:00.512Z',
          example_event_id: '019bc0de-1234-7abc-8def-0123456789ab',
        },
      ],
      since: '2026-01-08T10:30:00.000Z',
    },
  },
  action: {
    kind: 'analytics',
    toQuestion({ query }, { key, services }) {
      const sinceMs = services.clock.wallMs() - (query.days ?? DEFAULT_DAYS) * DAY_MS;
      const { game, environment } = key;
      return { kind: 'question', question: { game, environment, eventName: query.event_name, sinceMs } };
    },
    read: (analytics, question) => analytics.lookups.schemaFaults(question),
    toAnswer: (found, { sinceMs }) =>
      jsonAnswer({
        faults: found.map((one) => ({
          event_name: one.eventName,
          fault: one.fault,
          quarantined: one.quarantined,
          events: one.events,
          players: one.players,
          first_seen_at: formatTimestamp(one.firstAt),
          last_seen_at: formatTimestamp(one.lastAt),
          example_event_id: one.exampleId,
        })),
        since: formatTimestamp(sinceMs),
      }),
  },
});
