import type { DeploymentStatus, ProcessState } from './deployment-status.ts';
import type { WebhookAttempts } from '../../../clickhouse-schema/queries/webhook-attempts.ts';
import { OPERATIONS_LIMITS } from './limits.ts';

/** Entries of the runbook in docs/operations.md that a status may name. */
export const RUNBOOK_ENTRIES = [
  'NotReady',
  'PartitionWithoutOwner',
  'PartitionRefused',
  'WritesRefused',
  'DiskAlmostFull',
  'LogFillsUp',
  'LogFull',
  'SinkStopped',
  'SinkUnreachable',
  'SinkBehind',
  'SinkLate',
  'WebhooksWait',
  'WebhookDisabled',
  'ClockWrong',
] as const;
export type RunbookEntry = (typeof RUNBOOK_ENTRIES)[number];

/** Something that needs attention, with the runbook's entry about it. */
export interface Finding {
  runbook: RunbookEntry;
  /** What it is about: a partition, node, sink or webhook; empty: the deployment. */
  subject: string;
  message: string;
}

export interface FindingsOf {
  deployment: DeploymentStatus | undefined;
  state: ProcessState;
  clickhouseAnswers: boolean;
  attempts: readonly WebhookAttempts[];
  /** Webhooks that the service has disabled. */
  disabled: readonly { id: string; reason: 'gone' | 'failing' }[];
  nowMs: number;
}

/** What of a status needs attention, the most urgent first. Bounds are those of the alerts. */
export function findingsIn({ deployment, state, clickhouseAnswers, attempts, disabled, nowMs }: FindingsOf): Finding[] {
  const { disk, log, clock } = state;
  const found: Finding[] = [];
  const add = (runbook: RunbookEntry, subject: string, message: string): void => {
    if (found.length < OPERATIONS_LIMITS.opsFindings) found.push({ runbook, subject, message });
  };
  if (!state.brokerConnected) add('NotReady', '', 'The broker cannot be reached from the process that answers.');
  else if (deployment === undefined) add('NotReady', '', 'The broker does not answer in time.');
  if (disk.low) add('WritesRefused', '', 'Less than the reserve of the disk is free: writes answer 503.');
  if (log !== undefined && log.usedBytes >= log.limitBytes) {
    add('LogFull', '', 'The log is full up to its reserve: writes answer 503.');
  }
  for (const { partition, owner } of deployment?.partitions ?? []) {
    if (owner === undefined) add('PartitionWithoutOwner', String(partition), 'No process owns this partition.');
  }
  for (const { sink, lost } of deployment?.sinks ?? []) {
    if (lost) add('SinkStopped', sink, 'ClickHouse holds less than this sink had written.');
  }
  if (!clickhouseAnswers) add('SinkUnreachable', 'clickhouse', 'ClickHouse does not answer.');
  if (clock?.fault !== undefined) add('ClockWrong', '', `In the process that answers ${clock.fault}.`);
  if (log?.warns === true && log.usedBytes < log.limitBytes) add('LogFillsUp', log.held[0]?.holder ?? '', filling(log));
  for (const { node, refusal } of deployment?.processes ?? []) {
    if (refusal !== undefined) add('PartitionRefused', node, `It refuses partitions: ${refusal}.`);
  }
  for (const { sink, holder, behind = 0, oldestAt } of deployment?.sinks ?? []) {
    if (holder === undefined) add('SinkLate', sink, 'No process runs this sink.');
    else if (behind > OPERATIONS_LIMITS.opsSinkBehind) add('SinkBehind', sink, `${behind} records are waiting.`);
    else if (oldestAt !== undefined && nowMs - oldestAt > OPERATIONS_LIMITS.opsSinkLateMs) {
      add('SinkLate', sink, `The oldest waiting record is ${Math.round((nowMs - oldestAt) / 1000)} s old.`);
    }
  }
  for (const { webhookId, failed, givenUp } of attempts) {
    const failures = failed + givenUp;
    if (failures > 0) add('WebhooksWait', webhookId, `Attempts to deliver that failed in the last hour: ${failures}.`);
  }
  for (const { id, reason } of disabled) add('WebhookDisabled', id, `The service disabled this webhook: ${reason}.`);
  const used = disk.sizeBytes === 0 ? 0 : 1 - disk.freeBytes / disk.sizeBytes;
  if (!disk.low && used > OPERATIONS_LIMITS.opsDiskShare) {
    add('DiskAlmostFull', '', `The disk of the process that answers is ${Math.round(used * 100)} % full.`);
  }
  return found;
}

function filling({ fullInSeconds, held: [most] }: NonNullable<ProcessState['log']>): string {
  const what = most === undefined ? 'What holds the log' : `\`${most.holder}\` holds the log`;
  if (!Number.isFinite(fullInSeconds)) return `${what}: half of it cannot be trimmed.`;
  return `${what}: it will be full in ${Math.round(fullInSeconds / 3600)} hours.`;
}
