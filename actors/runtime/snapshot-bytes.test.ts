import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER_LIMITS } from './limits.ts';
import { encodeCommit } from '../../core/codec/codec.ts';
import { createBackbone, type Backbone, type BackboneNode } from '../../test/support/servers/backbone.ts';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';

const PLAYER = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const SESSION = 'ses_019bc0de-1234-7abc-8def-0123456789ab';
const SYNC_MS = 30_000;
const NAMES = ['match_end', 'level_completed', 'item_equipped', 'coins_spent'];

/** Bytes of FACTS that a game client takes with a sync of four events every 30 s. */
describe('a player who plays', () => {
  let world: Backbone;
  let node: BackboneNode;
  beforeEach(async () => {
    world = createBackbone();
    node = await world.lead('a');
    await world.register(node, PLAYER, { attributes: '{"level":12,"country":"DE"}' });
  });

  const send = (body: CommandBody) =>
    world.complete(
      node.commandClient.send(
        { game: 'demo', environment: 'live', receivedAt: world.clock.wallMs(), by: 'client' },
        PLAYER,
        body,
      ),
    );

  async function play(minutes: number, hasEventIds: boolean): Promise<void> {
    const open = { kind: 'InitSession', playerId: PLAYER, sessionId: SESSION, device: null, flagKeys: null } as const;
    await send({ ...open, ttlMs: 1_800_000 });
    for (let turn = 0; turn < (minutes * 60_000) / SYNC_MS; turn++) {
      const events = NAMES.map((eventName, index) => ({
        index,
        playerId: PLAYER,
        sessionId: SESSION,
        eventId: `019bc0de-1234-7abc-8def-${String(turn * NAMES.length + index).padStart(12, '0')}`,
        remember: hasEventIds,
        eventName,
        properties: `{"level":${turn % 60},"score":${(turn * 7919) % 100_000},"mode":"ranked"}`,
        timestamp: world.clock.wallMs() - 1_000 * index,
      }));
      await send({
        kind: 'SyncSession',
        playerId: PLAYER,
        sessionId: SESSION,
        events,
        stateUpdates: `{"coins":${turn}}`,
      });
      await world.clock.advance(SYNC_MS);
    }
  }

  /** Bytes of all records, and of the snapshots in them. */
  function factsBytes(): { all: number; snapshots: number } {
    const sum = { all: 0, snapshots: 0 };
    for (const { record } of world.records()) {
      const size = encodeCommit(record).length;
      sum.all += size;
      const others = record.facts.filter((fact) => fact.kind !== 'EntitySnapshot');
      sum.snapshots += size - encodeCommit({ ...record, facts: others }).length;
    }
    return sum;
  }

  it('for an hour takes at most 6 kB of FACTS for snapshots, and 300 kB in all', async () => {
    await play(60, false);
    const { all, snapshots } = factsBytes();
    expect(snapshots).toBeLessThan(6_000);
    expect(all).toBeLessThan(300_000);
  });

  it('with event ids takes at most 30 kB of snapshots for an hour', async () => {
    await play(60, true);
    expect(factsBytes().snapshots).toBeLessThan(30_000);
  });

  it('is in a snapshot a minute after the session ended, with its final values', async () => {
    await play(20, false);
    await send({ kind: 'EndSession', playerId: PLAYER, sessionId: SESSION, durationSeconds: 1_200, events: [] });
    await world.clock.advance(OWNER_LIMITS.snapshotIntervalMs + OWNER_LIMITS.storeFlushMs);
    expect(world.facts('EntitySnapshot').at(-1)?.state).toMatchObject({ sessions: [], totalPlaytimeSeconds: 1_200 });
  });
});
