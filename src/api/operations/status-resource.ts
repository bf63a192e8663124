import { type TObject, Type } from 'typebox';
import { integerOrNull, nullable, numberOrNull, oneOf, textOrNull, timeOrNull, timeOut } from '../input/fields.ts';
import { RUNBOOK_ENTRIES } from './status-findings.ts';

/* The schema of the state of the deployment, and its example. */

const count = (description: string) => Type.Integer({ minimum: 0, description });
const text = (description: string) => Type.String({ description });
const countOrNull = (description: string) => nullable(Type.Integer({ minimum: 0, description }));
const nodes = (description: string) => Type.Array(text('Name of a node.'), { description });

/** A list, or null if it cannot be read. */
const listOrNull = <T extends TObject>(schema: T, description: string) => nullable(Type.Array(schema, { description }));

const Finding = Type.Object(
  {
    runbook: oneOf(
      RUNBOOK_ENTRIES,
      'The entry of the runbook in docs/operations.md, which is also the name of the alert.',
    ),
    subject: text('The partition, node, sink or webhook that it is about; empty: the deployment.'),
    message: text('What was found, for people.'),
  },
  { description: 'Something that needs attention.' },
);

const Partition = Type.Object(
  {
    partition: count('Number of the partition, from 0.'),
    owner: textOrNull('Node of the process that owns it; null: none.'),
    standbys: nodes('Nodes that could take over at once.'),
    refused_by: nodes('Nodes that must not own it.'),
  },
  { description: 'A partition.' },
);

const Process = Type.Object(
  {
    node: text('Name of the node, made at random at its first start.'),
    roles: Type.Array(text('A role.'), { description: 'Roles of the process.' }),
    version: textOrNull('Version of the service; null: older than this field.'),
    format: count('The newest format of messages and records that it reads.'),
    started_at: timeOrNull('When it started; null: unknown.'),
    seen_at: timeOut('When its last beat was stored.'),
    partitions_owned: count('Partitions that it owns.'),
    partitions_ready: count('Partitions that it could take over at once.'),
    refuses_because: textOrNull('Why it refuses partitions; null: it refuses none.'),
  },
  { description: 'A process that lives.' },
);

const Sink = Type.Object(
  {
    sink: text('Name of the sink.'),
    stream: text('The stream that it reads.'),
    node: textOrNull('Node of the process that runs it; null: none.'),
    behind_records: countOrNull('Records that it has not handled; null: it has no position yet.'),
    oldest_waiting_at: timeOrNull('When the oldest of them was stored; null: it has handled all.'),
    lost_rows: Type.Boolean({ description: 'Whether ClickHouse holds less than the sink had written.' }),
  },
  { description: 'A sink.' },
);

const Stream = Type.Object(
  {
    stream: text('Name of the stream.'),
    records: count('Records in it.'),
    bytes: count('Bytes in it.'),
    max_bytes: countOrNull('Bytes that it may hold; null: no bound.'),
  },
  { description: 'A stream of the broker.' },
);

const Attempts = Type.Object(
  {
    webhook_id: text('Id of the webhook.'),
    name: text('Name of the webhook; empty: it was deleted.'),
    delivered: count('Attempts that the receiver took.'),
    failed: count('Attempts that failed and are repeated.'),
    given_up: count('Deliveries that were given up.'),
    last_failure_at: timeOrNull('When the last one failed; null: none did.'),
    last_status: countOrNull('HTTP status of the last failure; null: no response, or no failure.'),
  },
  { description: 'The attempts of one webhook in the last hour.' },
);

export const DeploymentState = Type.Object(
  {
    measured_at: timeOut('When the deployment was read.'),
    findings: Type.Array(Finding, { description: 'What needs attention, the most urgent first.' }),
    partitions: listOrNull(Partition, 'The partitions.'),
    processes: listOrNull(Process, 'The processes that live.'),
    sinks: listOrNull(Sink, 'The sinks.'),
    streams: listOrNull(Stream, 'The streams of the broker.'),
    format: nullable(
      Type.Object(
        {
          own: count('The newest format that the process that answers reads.'),
          lowest: count('The newest format that all processes read: only kinds up to it are written.'),
        },
        { description: 'The format gate.' },
      ),
    ),
    webhooks: nullable(
      Type.Object(
        {
          queued_records: count('Records of 1 to 64 deliveries that wait, of all games.'),
          queued_bytes: count('Their bytes.'),
          scheduled_retries: count("Scheduled retries of the key's game and environment."),
        },
        { description: 'The queue of webhooks.' },
      ),
    ),
    webhook_attempts: listOrNull(Attempts, 'Attempts of the last hour by webhook, those with most failures first.'),
    clickhouse: Type.Object(
      {
        answers: Type.Boolean({ description: 'Whether ClickHouse answers.' }),
        version: textOrNull('Its version; null: it does not answer.'),
        answered_in_ms: countOrNull('How long the answer took, milliseconds.'),
      },
      { description: 'ClickHouse.' },
    ),
    broker: Type.Object(
      {
        connected: Type.Boolean({ description: 'Whether the process that answers is connected.' }),
        clock_ahead_ms: integerOrNull(
          "How far that process's clock is ahead of the broker's, milliseconds; null: not measured.",
        ),
      },
      { description: 'The broker.' },
    ),
    disk: Type.Object(
      {
        free_bytes: count('Free bytes.'),
        size_bytes: count('All bytes.'),
        reserve_bytes: count('Below this, a local deployment answers writes with 503.'),
      },
      { description: 'The file system with the data of the process that answers.' },
    ),
    log: nullable(
      Type.Object(
        {
          used_bytes: count('Bytes of the log.'),
          limit_bytes: count('Where writes are answered 503.'),
          held: Type.Array(
            Type.Object(
              { holder: text('A sink, or `partition-N`.'), bytes: count('Bytes.') },
              { description: 'Bytes that cannot be trimmed because of one holder.' },
            ),
            { description: 'What keeps the log from being trimmed, the most first.' },
          ),
          full_in_seconds: numberOrNull('Forecast until it is full; null: it does not fill.'),
          reaches_back_to: timeOrNull('When its oldest record was stored.'),
        },
        { description: 'The log (FACTS) and its forecast.' },
      ),
    ),
  },
  { description: 'The state of the deployment.' },
);

export const DEPLOYMENT_EXAMPLE = {
  measured_at: '2026-01-15T10:30:00.512Z',
  findings: [
    {
      runbook: 'WebhooksWait',
      subject: 'wh_019bc0de',
      message: 'Attempts to deliver that failed in the last hour: 3.',
    },
  ],
  partitions: [{ partition: 0, owner: 'n-0123456789ab', standbys: [], refused_by: [] }],
  processes: [
    {
      node: 'n-0123456789ab',
      roles: ['gateway', 'actors', 'sinks'],
      version: '0.1.0',
      format: 6,
      started_at: '2026-01-14T08:00:00.000Z',
      seen_at: '2026-01-15T10:30:00.100Z',
      partitions_owned: 1,
      partitions_ready: 0,
      refuses_because: null,
    },
  ],
  sinks: [
    {
      sink: 'clickhouse',
      stream: 'FACTS',
      node: 'n-0123456789ab',
      behind_records: 0,
      oldest_waiting_at: null,
      lost_rows: false,
    },
  ],
  streams: [{ stream: 'FACTS', records: 1_200, bytes: 480_000, max_bytes: 68_719_476_736 }],
  format: { own: 6, lowest: 6 },
  webhooks: { queued_records: 3, queued_bytes: 4_096, scheduled_retries: 3 },
  webhook_attempts: [
    {
      webhook_id: 'wh_019bc0de',
      name: 'crm',
      delivered: 120,
      failed: 3,
      given_up: 0,
      last_failure_at: '2026-01-15T10:29:00.000Z',
      last_status: 500,
    },
  ],
  clickhouse: { answers: true, version: '26.7.1.1', answered_in_ms: 3 },
  broker: { connected: true, clock_ahead_ms: 0 },
  disk: { free_bytes: 80_000_000_000, size_bytes: 100_000_000_000, reserve_bytes: 1_073_741_824 },
  log: {
    used_bytes: 480_000,
    limit_bytes: 60_000_000_000,
    held: [{ holder: 'partition-0', bytes: 480_000 }],
    full_in_seconds: null,
    reaches_back_to: '2026-01-10T08:00:00.000Z',
  },
};
