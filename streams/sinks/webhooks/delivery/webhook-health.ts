import type { Clock } from '../../../../core/kernel/clock.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { decodeJson, encodeJson } from '../../../../core/codec/codec.ts';
import type { BucketEntry, Log } from '../../../log/log.ts';

/**
 * Owns the streaks of failures: since when each webhook has had failures only.
 *
 * States of a webhook: no streak; a streak in memory; after `webhookFailingNoteMs` a streak with a note in the
 * bucket WEBHOOKS, which all processes share and which survives restarts. A shorter streak is not stored: one write to
 * disk per failure would be too many, and a restart loses only minutes of a count in days.
 *
 * Invariants
 * 1. A success in any process ends the streak and deletes the note.
 * 2. A change of the webhook (its version) ends the streak.
 */
export interface WebhookHealth {
  /** The receiver accepted a delivery. */
  succeeded(webhook: Webhook): void;
  /** An attempt failed. Returns the start of the streak, epoch milliseconds. */
  failed(webhook: Webhook): number;
  stop(): void;
}

type Webhook = Pick<WebhookDocument, 'id' | 'version'>;

interface Streak {
  /** The webhook's version: failures of other versions do not count. */
  version: number;
  /** First failure in this process, epoch milliseconds; `undefined`: the last attempt of this process succeeded. */
  since: number | undefined;
  /** Last success in this process, epoch milliseconds. */
  succeededAt: number;
  /** The note in the bucket. */
  note: { since: number; version: number; revision: number } | undefined;
  /** A write to the bucket is in progress. */
  writing: boolean;
}

/** Keys of the bucket WEBHOOKS: one per webhook. */
const FAILING_PREFIX = 'failing.';

export function createWebhookHealth(log: Pick<Log, 'bucket'>, clock: Clock): WebhookHealth {
  const bucket = log.bucket('WEBHOOKS');
  const streaks = new Map<string, Streak>();
  const stop = bucket.watch({ onEntry, onCurrent: () => {} });

  function streakOf({ id, version }: Webhook): Streak {
    const known = streaks.get(id);
    if (known !== undefined && known.version === version) return known;
    if (streaks.size >= QUEUE_LIMITS.webhooksInMemory) forgetIdle();
    const note = known?.note;
    const fresh: Streak = { version, since: undefined, succeededAt: 0, note, writing: known?.writing ?? false };
    streaks.set(id, fresh);
    return fresh;
  }

  /** Forgets webhooks with neither failures nor a note: they equal unknown ones. */
  function forgetIdle(): void {
    for (const [id, { since, note, writing }] of streaks) {
      if (since === undefined && note === undefined && !writing) streaks.delete(id);
    }
  }

  function onEntry(entry: BucketEntry): void {
    if (!entry.key.startsWith(FAILING_PREFIX)) return;
    const id = entry.key.slice(FAILING_PREFIX.length);
    const note = entry.value === undefined ? undefined : parseNote(entry);
    const known = streaks.get(id);
    if (known !== undefined) {
      // Another process had a success.
      if (note === undefined && known.note !== undefined) known.since = undefined;
      known.note = note;
    } else if (note !== undefined) {
      streaks.set(id, { version: note.version, since: undefined, succeededAt: 0, note, writing: false });
    }
    const streak = streaks.get(id);
    if (streak !== undefined && note !== undefined && note.since <= streak.succeededAt) void clear(id, streak);
  }

  /** Start of the noted streak, if the note is of this version and later than the last success. */
  function notedSince({ note, version, succeededAt }: Streak): number | undefined {
    return note !== undefined && note.version === version && note.since > succeededAt ? note.since : undefined;
  }

  async function clear(id: string, streak: Streak): Promise<void> {
    if (streak.note === undefined || streak.writing) return;
    streak.writing = true;
    const outcome = await bucket.delete(FAILING_PREFIX + id, streak.note.revision).catch(() => undefined);
    streak.writing = false;
    // After a failed write the next success tries again.
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
    // A success came during the write: the note must not mislead other processes.
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
      const noted = notedSince(streak);
      if (noted === undefined && nowMs - streak.since >= DELIVERY_LIMITS.webhookFailingNoteMs) {
        void write(webhook.id, streak, streak.since);
      }
      return Math.min(streak.since, noted ?? streak.since);
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
