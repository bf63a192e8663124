import { OPERATIONS_LIMITS } from './limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import type { DeploymentStatus, ProcessState, WebhookQueue } from './deployment-status.ts';
import type { WebhookAttempts } from '../../../clickhouse-schema/queries/webhook-attempts.ts';
import { jsonAnswer } from '../route/answer.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { findingsIn } from './status-findings.ts';
import { DEPLOYMENT_EXAMPLE, DeploymentState } from './status-resource.ts';

/* The route that shows operators the state of the deployment. */

export const getOpsStatus = defineRoute({
  method: 'GET',
  path: '/v1/ops/status',
  tag: 'Operations',
  summary: 'Get the state of the deployment',
  description:
    'Who owns the partitions and who stands by, the processes and their versions, sinks, queues, broker, ClickHouse, ' +
    'disk and log, and `findings`: what needs attention, with its entry in the runbook (docs/operations.md). Parts that ' +
    `cannot be read are null. Read at most once in ${OPERATIONS_LIMITS.opsStatusKeptMs / 1000} s by each process. It has no ` +
    "secrets, addresses and paths; `webhooks` are those of the key's game and environment. In the console it needs the " +
    'role admin.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('admin'),
  errors: [],
  input: {},
  reply: { description: 'The state.', schema: DeploymentState, example: DEPLOYMENT_EXAMPLE },
  action: { kind: 'service', call: (_, context) => readStatus(context) },
});

async function readStatus({ key, services }: RequestContext) {
  const { operations, analytics, clock, config } = services;
  const { game, environment } = key;
  const askedMs = clock.monotonicMs();
  const timed = async () => {
    const version = await analytics.version();
    return { version, tookMs: Math.round(clock.monotonicMs() - askedMs) };
  };
  const [deployment, queue, clickhouse, found] = await Promise.all([
    operations.deployment(),
    operations.webhooks({ game, environment }),
    timed(),
    analytics.webhookAttempts({
      game,
      environment,
      seconds: OPERATIONS_LIMITS.opsAttemptsSeconds,
      limit: OPERATIONS_LIMITS.opsWebhooks,
    }),
  ]);
  const nowMs = clock.wallMs();
  const state = operations.process();
  const clickhouseAnswers = clickhouse.version.kind === 'answered';
  const nameOf = (id: string): string =>
    config.get({ game, environment, kind: 'webhook', key: id })?.document.name ?? '';
  const attempts = found.kind === 'answered' ? found.value : [];
  const disabled = config
    .list('webhook', game, environment)
    .flatMap(({ document: { id, disabled: since } }) => (since === undefined ? [] : [{ id, reason: since.reason }]));
  const findings = findingsIn({ deployment, state, clickhouseAnswers, attempts, disabled, nowMs });
  return jsonAnswer({
    measured_at: formatTimestamp(deployment?.measuredAt ?? nowMs),
    findings,
    ...deploymentJson(deployment),
    webhooks: queue === undefined ? null : queueJson(queue),
    webhook_attempts: found.kind === 'answered' ? attempts.map((one) => attemptsJson(one, nameOf)) : null,
    clickhouse: {
      answers: clickhouseAnswers,
      version: clickhouse.version.kind === 'answered' ? clickhouse.version.value : null,
      answered_in_ms: clickhouseAnswers ? clickhouse.tookMs : null,
    },
    ...processJson(state),
  });
}

function deploymentJson(deployment: DeploymentStatus | undefined) {
  if (deployment === undefined) return { partitions: null, processes: null, sinks: null, streams: null, format: null };
  return {
    partitions: deployment.partitions.map(({ partition, owner, standbys, refusedBy }) => ({
      partition,
      owner: owner ?? null,
      standbys,
      refused_by: refusedBy,
    })),
    processes: deployment.processes.map((one) => ({
      node: one.node,
      roles: one.roles,
      version: one.version ?? null,
      format: one.format,
      started_at: formatTimestampOrNull(one.startedAt),
      seen_at: formatTimestamp(one.seenAt),
      partitions_owned: one.owned,
      partitions_ready: one.ready,
      refuses_because: one.refusal ?? null,
    })),
    sinks: deployment.sinks.map(({ sink, stream, holder, behind, oldestAt, lost }) => ({
      sink,
      stream,
      node: holder ?? null,
      behind_records: behind ?? null,
      oldest_waiting_at: formatTimestampOrNull(oldestAt),
      lost_rows: lost,
    })),
    streams: deployment.streams.map(({ name, records, bytes, maxBytes }) => ({
      stream: name,
      records,
      bytes,
      max_bytes: maxBytes ?? null,
    })),
    format: { own: deployment.format.own, lowest: deployment.format.lowest },
  };
}

const queueJson = ({ records, bytes, retries }: WebhookQueue) => ({
  queued_records: records,
  queued_bytes: bytes,
  scheduled_retries: retries,
});

const attemptsJson = (one: WebhookAttempts, nameOf: (id: string) => string) => ({
  webhook_id: one.webhookId,
  name: nameOf(one.webhookId),
  delivered: one.delivered,
  failed: one.failed,
  given_up: one.givenUp,
  last_failure_at: formatTimestampOrNull(one.lastFailureAt),
  last_status: one.lastFailureAt === undefined ? null : one.lastStatus,
});

function processJson({ disk, log, clock, brokerConnected }: ProcessState) {
  return {
    broker: {
      connected: brokerConnected,
      clock_ahead_ms: clock === undefined ? null : Math.round((clock.leastMs + clock.mostMs) / 2),
    },
    disk: { free_bytes: disk.freeBytes, size_bytes: disk.sizeBytes, reserve_bytes: disk.reserveBytes },
    log:
      log === undefined
        ? null
        : {
            used_bytes: log.usedBytes,
            limit_bytes: log.limitBytes,
            held: log.held.slice(0, OPERATIONS_LIMITS.opsHolders).map(({ holder, bytes }) => ({ holder, bytes })),
            full_in_seconds: Number.isFinite(log.fullInSeconds) ? log.fullInSeconds : null,
            reaches_back_to: formatTimestampOrNull(log.oldestAt),
          },
  };
}
