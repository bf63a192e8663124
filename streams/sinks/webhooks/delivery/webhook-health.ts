import type { Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { WebhookDocument } from '../../../../actors/vocabulary/documents.ts';
import { decodeJson, encodeJson } from '../../../codec.ts';
import type { BucketEntry, Log } from '../../../log/log.ts';

/**
 * Since when each webhook has only failed. What has lasted a while is noted in the bucket WEBHOOKS, so that it outlives processes
 * and counts for all of them; a success anywhere deletes the note. A change of the webhook starts the count anew.
 *
 * A note per failure would be a write to disk for each; so the first ten minutes are in memory only, and a restart in them loses
 * minutes of days.
 */
export interface WebhookHealth {
  /** Its receiver took a delivery. */
  succeeded(webhook: Webhook): void;
  /** An attempt failed. Answers since when there were only failures, epoch milliseconds. */
  failed(webhook: Webhook): number;
  stop(): void;
}

type Webhook = Pick<WebhookDocument, 'id' | 'version'>;

interface Streak {
  /** The webhook's version: failures of another one say nothing. */
  version: number;
  /** Since when it only failed, as this process knows; `undefined`: its last attempt here succeeded. */
  since: number | undefined;
  /** When this process last saw a success. */
  succeededAt: number;
  /** What stands in the bucket. */
  note: { since: number; version: number; revision: number } | undefined;
  /** A write is under way. */
  writing: boolean;
}

/** Keys of the bucket WEBHOOKS: one per webhook. */
const FAILING_PREFIX = 'failing.';

export function createWebhookHealth(log: Pick<Log, 'bucket'>, clock: Clock): WebhookHealth {
  const bucket = log.bucket('WEBHOOKS');
  const streaks = new Map<string, Streak>();
  const stop = bucket.watch({ onEntry: learn, onCurrent: () => {} });

  function streakOf({ id, version }: Webhook): Streak {
    const known = streaks.get(id);
    if (known !== undefined && known.version === version) return known;
    if (streaks.size >= LIMITS.webhooksInMemory) forgetIdle();
    const note = known?.note;
    const fresh: Streak = { version, since: undefined, succeededAt: 0, note, writing: known?.writing ?? false };
    streaks.set(id, fresh);
    return fresh;
  }

  /** What has neither failures nor a note is as if it were never met. */
  function forgetIdle(): void {
    for (const [id, { since, note, writing }] of streaks) {
      if (since === undefined && note === undefined && !writing) streaks.delete(id);
    }
  }

  function learn(entry: BucketEntry): void {
    if (!entry.key.startsWith(FAILING_PREFIX)) return;
    const id = entry.key.slice(FAILING_PREFIX.length);
    const note = entry.value === undefined ? undefined : parseNote(entry);
    const known = streaks.get(id);
    if (known !== undefined) {
      // Somebody had a success.
      if (note === undefined && known.note !== undefined) known.since = undefined;
      known.note = note;
    } else if (note !== undefined) {
      streaks.set(id, { version: note.version, since: undefined, succeededAt: 0, note, writing: false });
    }
    const streak = streaks.get(id);
    if (streak !== undefined && note !== undefined && note.since <= streak.succeededAt) void clear(id, streak);
  }

  /** Whether what is noted still speaks of this version, and of a time after our last success. */
  function noted({ note, version, succeededAt }: Streak): number | undefined {
    return note !== undefined && note.version === version && note.since > succeededAt ? note.since : undefined;
  }

  async function clear(id: string, streak: Streak): Promise<void> {
    if (streak.note === undefined || streak.writing) return;
    streak.writing = true;
    const outcome = await bucket.delete(FAILING_PREFIX + id, streak.note.revision).catch(() => undefined);
    streak.writing = false;
    // Not written: the next success tries again.
    if (outcome?.kind === 'written') streak.note = undefined;
  }

  async function write(id: string, streak: Streak, since: number): Promise<void> {
    if (streak.writing) return;
    streak.writing = true;
    const { version } = streak;
    const revision = streak.note?.revision ?? 0;
    const outcome = await bucket
      .put(FAILING_PREFIX + id, encodeJson({ since, version }), revision)
      .catch(() => undefined);
    streak.writing = false;
    if (outcome?.kind === 'written') streak.note = { since, version, revision: outcome.revision };
    // A success came meanwhile: others must not take the note for the truth.
    if (streak.succeededAt >= since) await clear(id, streak);
  }

  return {
    succeeded(webhook) {
      const streak = streakOf(webhook);
      streak.since = undefined;
      streak.succeededAt = clock.wallMs();
      void clear(webhook.id, streak);
    },
    failed(webhook) {
      const streak = streakOf(webhook);
      const nowMs = clock.wallMs();
      streak.since ??= nowMs;
      const known = noted(streak);
      if (known === undefined && nowMs - streak.since >= LIMITS.webhookFailingNoteMs) {
        void write(webhook.id, streak, streak.since);
      }
      return Math.min(streak.since, known ?? streak.since);
    },
    stop,
  };
}

function parseNote({ value, revision }: BucketEntry): Streak['note'] {
  const read: unknown = value === undefined ? undefined : decodeJson(value);
  if (typeof read !== 'object' || read === null || !('since' in read) || !('version' in read)) return undefined;
  const { since, version } = read;
  return typeof since === 'number' && typeof version === 'number' ? { since, version, revision } : undefined;
}
