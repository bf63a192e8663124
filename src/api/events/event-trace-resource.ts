import { Type } from 'typebox';
import { ExternalId, integerOrNull, oneOf, PlayerId, textOrNull, timeOrNull, timeOut } from '../input/fields.ts';

/* The trace of an event: its schema and its example. */

const Attempt = Type.Object(
  {
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    webhook_name: textOrNull('Its name; null if it is deleted.'),
    delivery_id: Type.String({ description: 'Id of the delivery.' }),
    attempt: Type.Integer({ description: 'Number of the attempt, from 1; 0 if no attempt was made.' }),
    attempted_at: timeOut('When the attempt was made.'),
    duration_ms: Type.Integer({ description: 'Duration of the request and its response, milliseconds.' }),
    outcome: Type.String({ description: 'As in the delivery attempts of the webhook.' }),
    status: integerOrNull('HTTP status of the response; null if there was none.'),
    error: textOrNull('Why there was no response; null if there was one.'),
    next_attempt_at: timeOrNull('When the next attempt is due. ISO 8601, UTC, milliseconds; null if there is none.'),
  },
  { description: 'A delivery attempt.' },
);

const Trace = Type.Object(
  {
    state: oneOf(['accepted', 'quarantined'], 'Whether the event counts, or waits in quarantine.'),
    event_id: Type.String({ description: 'Id of the event.' }),
    event_name: Type.String({ description: 'Name of the event.' }),
    player_id: PlayerId,
    external_id: ExternalId,
    source: Type.String({ description: '`caller`, `service` (recorded sessions and purchases) or `import`.' }),
    timestamp: timeOut('When the event happened, according to its sender.'),
    received_at: timeOut('When the service received it.'),
    faults: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: 'JSON Pointer into the properties.' }),
          message: Type.String({ description: 'The rule that the value breaks.' }),
        },
        { description: 'A fault.' },
      ),
      { description: 'The first faults of a quarantined event.' },
    ),
    log: Type.Object(
      {
        sequence: Type.Integer({ description: 'Sequence of the record of FACTS.' }),
        index: Type.Integer({ description: 'Place of the fact in the record.' }),
        partition: textOrNull('Partition of the player; null if the log has trimmed the record.'),
        appended_at: timeOrNull(
          'When the log stored it. ISO 8601, UTC, milliseconds; null if it has trimmed the record.',
        ),
      },
      { description: 'Where the log holds the event.' },
    ),
    row: Type.Union(
      [
        Type.Object(
          {
            table: Type.String({ description: 'Name of the table.' }),
            inserted_at: timeOut('When the row was inserted.'),
            rows_of_insert: integerOrNull('Number of rows of the same insert; null if it is not known.'),
          },
          { description: 'The row.' },
        ),
        Type.Null({ description: 'ClickHouse does not hold it yet.' }),
      ],
      { description: 'The row in ClickHouse.' },
    ),
    stream_id: textOrNull('Its SSE id on the event stream; null if it was not sent there.'),
    webhooks_matched: Type.Boolean({ description: 'Whether its deliveries are queued.' }),
    attempts: Type.Array(Attempt, { description: 'Attempts of its deliveries, the oldest first.' }),
  },
  { description: 'Where one event went.' },
);

export const EventTraces = Type.Object(
  {
    traces: Type.Array(Trace, { description: 'The traces.' }),
    behind_records: Type.Integer({ description: 'Records of the log that ClickHouse does not hold yet.' }),
    searched_all: Type.Boolean({ description: 'Whether all of these records were searched.' }),
  },
  { description: 'Traces of events with one id.' },
);

export const EVENT_TRACE_EXAMPLE = {
  traces: [
    {
      state: 'accepted',
      event_id: '019bc0de-1234-7abc-8def-0123456789ab',
      event_name: 'level_completed',
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      external_id: 'player_12345',
      source: 'caller',
      timestamp: '2026-01-15T10:30:00.000Z',
      received_at: '2026-01-15T10:30:00.512Z',
      faults: [],
      log: { sequence: 1234, index: 0, partition: '1', appended_at: '2026-01-15T10:30:00.519Z' },
      row: { table: 'events', inserted_at: '2026-01-15T10:30:01.020Z', rows_of_insert: 12 },
      stream_id: 'a1b2c3d4e5f6-1234-0',
      webhooks_matched: true,
      attempts: [],
    },
  ],
  behind_records: 0,
  searched_all: true,
};
