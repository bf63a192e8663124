import { Type } from 'typebox';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_API_LIMITS } from './limits.ts';
import { LOOKUP_LIMITS } from '../../../clickhouse-schema/queries/lookups/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { PlayerId, timeOrNull, timeOut } from '../input/fields.ts';

/* A dry run of a schema: the schemas of its body and response, and the example. */

export const DryRunBody = Type.Object(
  {
    event_name: Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.nameLength,
      description: 'Name of the events to check.',
    }),
    schema: Type.Unsafe<JsonObject>({
      type: 'object',
      description: 'JSON Schema (draft 2020-12) for the `properties`, with the same rules as for event schemas.',
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LOOKUP_LIMITS.dryRunEvents,
        description: `Number of the newest events to check. Default: ${LOOKUP_LIMITS.dryRunEventsDefault}.`,
      }),
    ),
  },
  { additionalProperties: false, description: 'A schema to try.' },
);

const path = Type.String({ description: 'JSON Pointer into the properties.' });
const message = Type.String({ description: 'The rule that the value breaks.' });

const Example = Type.Object(
  {
    event_id: Type.String({ description: 'Id of the event.' }),
    player_id: PlayerId,
    received_at: timeOut('When the service received it.'),
    quarantined: Type.Boolean({ description: 'Whether it is in quarantine now.' }),
    faults: Type.Array(Type.Object({ path, message }, { description: 'A fault.' }), { description: 'Its faults.' }),
    properties: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The properties as sent.' }),
  },
  { description: 'An event that the schema would refuse.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const DryRunResult = Type.Object(
  {
    event_name: Type.String({ description: 'Name of the events.' }),
    events_checked: count('Number of events that were checked, the newest.'),
    events_valid: count('Number of them that the schema would accept.'),
    events_invalid: count('Number of them that it would refuse.'),
    quarantined_valid: count('Number of accepted ones that were quarantined: a replay would track them.'),
    oldest_received_at: timeOrNull(
      'Receipt of the oldest checked event. ISO 8601, UTC, milliseconds; null without events.',
    ),
    stopped_early: Type.Boolean({ description: 'Whether the time ended before all events were checked.' }),
    faults: Type.Array(
      Type.Object({ path, message, events: count('Number of events with it.') }, { description: 'A fault.' }),
      { description: 'The faults, the most frequent first.' },
    ),
    examples: Type.Array(Example, {
      description: `The newest refused events, at most ${EVENT_SCHEMA_API_LIMITS.dryRunExamples}.`,
    }),
  },
  { description: 'The result of a dry run.' },
);

export const DRY_RUN_EXAMPLE = {
  event_name: 'level_completed',
  events_checked: 500,
  events_valid: 499,
  events_invalid: 1,
  quarantined_valid: 0,
  oldest_received_at: '2026-01-14T10:30:00.512Z',
  stopped_early: false,
  faults: [{ path: '/level', message: 'must be integer', events: 1 }],
  examples: [
    {
      event_id: '019bc0de-1234-7abc-8def-0123456789ab',
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      received_at: '2026-01-15T10:30:00.512Z',
      quarantined: false,
      faults: [{ path: '/level', message: 'must be integer' }],
      properties: { level: 'twelve' },
    },
  ],
};
