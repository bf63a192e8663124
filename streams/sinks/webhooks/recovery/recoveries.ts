import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeJson, encodeJson } from '../../../../core/codec/codec.ts';
import type { Log } from '../../../log/log.ts';
import type { Recovery, RecoveryRequest } from '../../../webhook-operations.ts';
import { sequenceAt } from './sequence-at.ts';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';

/**
 * The latest recovery of a webhook: a document in the bucket WEBHOOKS. A request creates it and the recoverer updates
 * it, both by compare-and-set. So one recovery runs at a time, any process may take the request, and a crash resumes
 * at `position`.
 */
export interface RecoveryJob extends Recovery {
  game: string;
  environment: Environment;
  webhook: string;
  /** The webhook's revision at the request: a process with older definitions must not work on the job. */
  revision: number;
  /** Creation time of FACTS, in the broker's spelling. */
  stream: string;
  /** All records up to and including this sequence are done. */
  position: number;
}

/** Keys of the bucket WEBHOOKS: one per webhook. */
export const RECOVERY_PREFIX = 'recovery.';

const recoveryKey = (webhook: string): string => RECOVERY_PREFIX + webhook;

/** Requests a recovery. Rejects when the log is closed. */
export async function beginRecovery(
  { log, clock, ids }: { log: Log; clock: Clock; ids: Ids },
  webhook: ConfigEntry<'webhook'>,
  sinceMs: number,
): Promise<RecoveryRequest> {
  const { game, environment, document, revision } = webhook;
  if (environment === '_') throw new Error('a webhook belongs to one environment');
  const bucket = log.bucket('WEBHOOKS');
  const key = recoveryKey(document.id);
  const found = await bucket.get(key);
  const current = found?.value === undefined ? undefined : parseRecovery(decodeJson(found.value));
  if (current?.state === 'running') return { kind: 'running', recovery: progressOf(current) };
  const { created: stream, lastSequence, firstSequence } = await log.info('FACTS');
  const from = await sequenceAt(log, { firstSequence, lastSequence }, sinceMs);
  const isTrimmed = firstSequence > 1 && from === firstSequence;
  const job: RecoveryJob = {
    id: ids.uuidv4(),
    since: sinceMs,
    startedAt: clock.wallMs(),
    availableSince: isTrimmed ? await storedAt(log, firstSequence) : null,
    state: 'running',
    scanned: 0,
    total: Math.max(0, lastSequence + 1 - from),
    queued: 0,
    finishedAt: null,
    game,
    environment,
    webhook: document.id,
    revision,
    stream,
    position: from - 1,
  };
  const outcome = await bucket.put(key, encodeJson(job), found?.revision ?? 0);
  if (outcome.kind === 'written') return { kind: 'begun', recovery: progressOf(job) };
  if (outcome.kind === 'unknown') return { kind: 'unavailable' };
  // Another request was faster: return its recovery.
  const other = await bucket.get(key);
  const winner = other?.value === undefined ? undefined : parseRecovery(decodeJson(other.value));
  return winner === undefined ? { kind: 'unavailable' } : { kind: 'running', recovery: progressOf(winner) };
}

/** The latest recovery of a webhook. Rejects when the log is closed. */
export async function readRecovery(log: Pick<Log, 'bucket'>, webhook: string): Promise<Recovery | undefined> {
  const entry = await log.bucket('WEBHOOKS').get(recoveryKey(webhook));
  const job = entry?.value === undefined ? undefined : parseRecovery(decodeJson(entry.value));
  return job === undefined ? undefined : progressOf(job);
}

/** The part of a job that the API returns. */
function progressOf(job: RecoveryJob): Recovery {
  const { id, since, startedAt, availableSince, state, scanned, total, queued, finishedAt } = job;
  return { id, since, startedAt, availableSince, state, scanned, total: Math.max(total, scanned), queued, finishedAt };
}

/** When the first record at or after a sequence was stored, epoch milliseconds; `null`: there is none. */
export async function storedAt(log: Pick<Log, 'next'>, sequence: number): Promise<number | null> {
  return (await log.next('FACTS', 'facts.*', sequence))?.storedAtMs ?? null;
}

/**
 * Reads a job; `undefined` for anything else. Only this service writes jobs, so a look at the main fields is enough.
 */
export function parseRecovery(value: unknown): RecoveryJob | undefined {
  return isJob(value) ? value : undefined;
}

function isJob(value: unknown): value is RecoveryJob {
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && 'state' in value && 'webhook' in value && 'stream' in value && 'position' in value;
}
