import type { CommandBody, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Origin } from '../../../src/api/route/backend.ts';
import type { Random } from '../random.ts';
import type { SimGateway } from './gateways.ts';

/** One request of a client, which may be repeated as it is. */
export interface Play {
  run(gateway: SimGateway, origin: Origin): Promise<Reply | { kind: 'merged' | 'taken back' }>;
}

export const PLAYERS = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}0000000-0000-5000-8000-000000000001`);
export const externalIdOf = (playerId: string): string => playerId.slice(0, 1);

const NAMES = ['won', 'lost'] as const;
export const COUNTED: ReadonlySet<string> = new Set(NAMES);

/** Draws requests: most are play, of guests as of accounts, and some merge two players or take that back. */
export function createPlays(random: Random): () => Play {
  let serial = 0;
  /** By the player who opened it, also after that one was merged. */
  const opened = [{ playerId: random.pick(PLAYERS), sessionId: 'ses-0' }];
  const next = (): string => String((serial += 1));
  const player = (): string => random.pick(PLAYERS);
  const sending = (entityId: string, body: CommandBody): Play => ({
    run: ({ merges }, origin) => merges.backend.send(origin, entityId, body),
  });

  function item(playerId: string, index = 0): TrackItem {
    const eventId = `e${next()}`;
    const eventName = random.pick(NAMES);
    return { index, playerId, eventId, remember: true, eventName, properties: '{}', sessionId: null, timestamp: 1 };
  }

  const draws: readonly (() => Play)[] = [
    () => {
      const one = item(player());
      const idempotency = random.chance(0.3) ? { idempotency: { key: `k${next()}`, bodyHash: 'h' } } : {};
      return sending(one.playerId, { kind: 'TrackEvents', items: [one], ...idempotency });
    },
    () => {
      const first = player();
      // All items of a command are of one partition.
      const others = PLAYERS.filter((id) => (id.codePointAt(0) ?? 0) % 3 === (first.codePointAt(0) ?? 0) % 3);
      const items = [item(first), item(random.pick(others), 1), item(random.pick(others), 2)];
      const keyed = { idempotency: { key: `k${next()}`, bodyHash: 'h' }, ledgerId: 'ledger:key' };
      const body = { kind: 'TrackEvents', items, ...(random.chance(0.5) ? keyed : {}) } as const;
      return sending(first, body);
    },
    () => {
      const [playerId, eventId] = [player(), `s${next()}`];
      const transaction = random.int(1, 9);
      const transactionId = `tx-${transaction}`;
      const amount = 1_000 * 7 ** transaction;
      const what = { amount, currency: null, productId: null, transactionId, eventId };
      return sending(playerId, { kind: 'RecordPurchase', playerId, ...what });
    },
    () => {
      const [playerId, eventId, sessionId] = [player(), `s${next()}`, `own-${next()}`];
      const times = { startedAt: null, endedAt: null, durationSeconds: random.int(1, 99) };
      return sending(playerId, { kind: 'RecordSession', playerId, sessionId, ...times, eventId });
    },
    () => {
      const playerId = player();
      const what = { flagKey: random.pick(['price', 'shop']), flagVersion: 1, period: 1, value: '"x"' } as const;
      const variantKey = random.pick(['a', 'b']);
      return sending(playerId, {
        kind: 'ExposeFlag',
        playerId,
        ...what,
        variantKey,
        reason: 'percentage_rollout',
        stratum: 1,
      });
    },
    () => {
      const [playerId, sessionId] = [player(), `ses-${next()}`];
      opened.push({ playerId, sessionId });
      const idempotency = { key: `k${next()}`, bodyHash: 'h' };
      const what = { sessionId, device: null, flagKeys: [], ttlMs: random.int(2_000, 60_000), idempotency };
      return sending(playerId, { kind: 'InitSession', playerId, ...what });
    },
    () => {
      const { playerId, sessionId } = random.pick(opened.slice(-4));
      const events = [{ ...item(playerId), sessionId }];
      return sending(playerId, { kind: 'SyncSession', playerId, sessionId, events, stateUpdates: `{"n":${next()}}` });
    },
    () => {
      const [guestId, accountId] = [player(), player()];
      const wanted = { guestId, accountId, byClientKey: false };
      return { run: ({ merges }, origin) => merges.merge(origin, wanted) };
    },
    () => {
      const circle = PLAYERS.toSorted(() => random.next() - 0.5).slice(0, random.int(2, 3));
      const run: Play['run'] = async ({ merges }, origin) => {
        const wanted = circle.map((guestId, at) => ({ guestId, accountId: circle[at + 1] ?? circle[0] ?? guestId }));
        const [first] = await Promise.all(wanted.map((one) => merges.merge(origin, { ...one, byClientKey: false })));
        return first ?? { kind: 'taken back' };
      };
      return { run };
    },
    () => {
      const [guestId, accountId] = [player(), player()];
      const run: Play['run'] = async ({ merges }, origin) => {
        await merges.merge(origin, { guestId, accountId, byClientKey: false });
        return merges.takeBack(origin, guestId);
      };
      return { run };
    },
    () => {
      const guestId = player();
      return { run: ({ merges }, origin) => merges.takeBack(origin, guestId) };
    },
  ];
  const shares = [7, 3, 3, 2, 3, 2, 3, 3, 1, 1, 1];
  const all = draws.flatMap((draw, place) => Array.from({ length: shares[place] ?? 1 }, () => draw));
  return () => random.pick(all)();
}
