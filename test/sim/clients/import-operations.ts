import type { ImportHistory, ImportItem } from '../../../core/vocabulary/commands/import.ts';
import { createHistoryBatch } from '../../../src/cli/import/send/history-batch.ts';
import { isUnavailable, type Operation } from './operation.ts';
import type { Random } from '../random.ts';

/** The end of the imported history: the begin of every run. */
const END_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1000;
/** Few, so that lines repeat those of live traffic and of other files. */
const IDS = 4;
const FILES = ['0f3a', '0f3b', '1c00'];
const MOST_WAITING = 4;

/** Imports of some files at once. Each operation sends one command: a new one, one of those that wait, or a repeat. */
export function createImports(
  random: Random,
  players: readonly string[],
  partitionOf: (entityId: string) => number,
): () => Operation {
  /** By file and partition: the commands that no reply has confirmed, in order, and the last line that was sent. */
  const sent = new Map<string, { waiting: ImportHistory[]; last: number; lastBody: ImportHistory | undefined }>();
  let lines = 0;

  function item(playerId: string, isEvent: boolean): ImportItem {
    lines += random.int(1, 3);
    const at = END_MS - random.int(0, random.chance(0.5) ? 45 * DAY_MS : DAY_MS);
    const base = { line: lines, playerId, externalId: `ext-${playerId}`, at };
    if (!isEvent) {
      const email = random.chance(0.5) ? { email: 'old@example.com' } : {};
      const attributes = JSON.stringify({ a1: random.int(0, 9), country: random.pick(['NO', 'SE']) });
      return { ...base, player: { firstSeenAt: at - random.int(0, 5 * DAY_MS), attributes, ...email } };
    }
    const event = {
      eventId: `old-${lines}`,
      eventName: `event_${random.int(1, 3)}`,
      properties: JSON.stringify({ s: lines, level: (lines % 3) + 1 }),
      sessionId: random.chance(0.3) ? 'session-1' : null,
      ...(random.chance(0.3) ? { playedWith: { platform: random.pick(['ios', 'web']), build: '7' } } : {}),
      ...(random.chance(0.2) ? { country: 'FI' } : {}),
    };
    const dice = random.next();
    if (dice < 0.2) {
      const transactionId = random.chance(0.6) ? `tx-${random.int(1, IDS)}` : null;
      if (transactionId !== null && random.chance(0.4)) {
        const refundId = random.chance(0.5) ? `refund-${random.int(1, IDS)}` : null;
        const refund = { amount: random.pick([400, 600, 1_000]), transactionId, refundId };
        return { ...base, event: { ...event, eventName: 'purchase_refunded' }, refund };
      }
      const what = { amount: 1_000, productId: null, transactionId };
      const exchange = { rate: random.pick([0.0617, 1.0837]) };
      const purchase = random.chance(0.5)
        ? { ...what, currency: null }
        : { ...what, currency: random.pick(['EUR', 'JPY']), exchange };
      return { ...base, event, purchase };
    }
    if (dice < 0.4) {
      const device = random.chance(0.3) ? { platform: 'ios', appVersion: '0.9' } : {};
      const session = { sessionId: `own-${random.int(1, IDS)}`, durationSeconds: random.int(0, 600), ...device };
      return { ...base, event, session };
    }
    return { ...base, event };
  }

  function next(importId: string, partition: number, after: number): ImportHistory {
    const own = players.filter((playerId) => partitionOf(playerId) === partition);
    const batch = createHistoryBatch();
    const isEvent = random.chance(0.8);
    for (let count = random.int(1, 6); count > 0; count--) batch.add(item(random.pick(own), isEvent));
    return batch.close(importId, after);
  }

  return () => {
    const partition = partitionOf(random.pick(players));
    const importId = random.pick(FILES);
    const key = `${importId}/${partition}`;
    const file = sent.get(key) ?? { waiting: [], last: 0, lastBody: undefined };
    sent.set(key, file);
    if (file.waiting.length === 0 || (file.waiting.length < MOST_WAITING && random.chance(0.4))) {
      const body = next(importId, partition, file.last);
      file.last = body.to;
      file.waiting.push(body);
    }
    const isRepeat = file.lastBody !== undefined && random.chance(0.15);
    // Usually the first; another one comes before its predecessor.
    const body = isRepeat ? file.lastBody : random.chance(0.7) ? file.waiting[0] : random.pick(file.waiting);
    return {
      safe: true,
      async run(send) {
        if (body === undefined) return 'lost';
        const outcome = await send(body.players[0]?.playerId ?? '', body);
        if (
          !isUnavailable(outcome) &&
          outcome !== 'lost' &&
          outcome.kind === 'imported' &&
          outcome.importedTo >= body.to
        ) {
          file.waiting = file.waiting.filter((other) => other.to > body.to);
          file.lastBody = body;
        }
        return outcome;
      },
    };
  };
}
