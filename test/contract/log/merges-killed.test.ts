import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startActors, type Actors } from '../../../actors/runtime/actors.ts';
import { createMemoryStores } from '../../../actors/runtime/store/store-memory.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { type CommandClient, createCommandClient } from '../../../src/gateway/backend/command-client.ts';
import { type GatewayMerges, createGatewayMerges } from '../../../src/gateway/merges/merges.ts';
import { watchFactsRoom } from '../../../streams/facts/facts-room.ts';
import { connectJetStream, type JetStreamLog } from '../../../streams/log/jetstream/log-jetstream.ts';
import { liveDefinitions } from '../../support/in-memory/live-definitions.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { until } from '../../support/until.ts';

/*
 * A gateway that kills itself at a step of a merge, on the real broker. Owners and another gateway are in this process:
 * its next request about the guest goes on with the merge.
 */

const GATEWAY = fileURLToPath(new URL('../../support/in-memory/merge-gateway.ts', import.meta.url));
const PARTITIONS = 2;
const origin = { game: 'demo', environment: 'live', receivedAt: systemClock.wallMs(), by: 'server' } as const;

let nats: TestNats;
let log: JetStreamLog;
let actors: Actors;
let client: CommandClient;
let merges: GatewayMerges;
let players = 0;

beforeAll(async () => {
  nats = await startTestNats();
  const clock = systemClock;
  log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock });
  const shared = { log, clock, logger: silentLogger, metrics: createMetrics() };
  client = createCommandClient({ ...shared, gateway: 'living', partitions: PARTITIONS, configRevision: () => 0 });
  actors = startActors({
    ...shared,
    room: watchFactsRoom(shared),
    local: client.local,
    clockFault: () => undefined,
    partitions: PARTITIONS,
    node: 'owner',
    incarnation: '1',
    config: { revision: 0, seen: () => Promise.resolve(true) },
    definitions: liveDefinitions(definitionsOf()),
    stores: createMemoryStores(),
    source: {
      confirmedTo: () => Promise.reject(new Error('this test has no snapshots')),
      count: async () => 0,
      countPlayers: async () => 0,
      async *load() {},
    },
    history: undefined,
    hotBytes: 10_000_000,
  });
  merges = createGatewayMerges({ owners: client, log, clock, ids: systemIds, logger: silentLogger });
  await until('the partitions have owners', async () => {
    const asked = await Promise.all([idIn(0), idIn(1)].map((id) => idOf(id)));
    return asked.every((found) => found === 'PLAYER_NOT_FOUND');
  });
});
afterAll(async () => {
  await actors.stop();
  client.close();
  await log.close();
  await nats.stop();
});

function idIn(partition: number): string {
  for (;;) {
    players += 1;
    const id = `${String(players).padStart(8, '0')}-6f0b-5f8e-9d2c-0d1e2f3a4b5c`;
    if (partitionOf(id, PARTITIONS) === partition) return id;
  }
}

/** The id of the player that an id leads to, or the code of the failure. */
async function idOf(playerId: string): Promise<string> {
  const reply = await merges.backend.query(origin, playerId, { kind: 'GetPlayer', playerId });
  return reply.kind === 'player' ? reply.player.id : reply.kind === 'failure' ? reply.code : reply.kind;
}

async function register(playerId: string): Promise<void> {
  const body = {
    kind: 'RegisterPlayer',
    playerId,
    externalId: playerId,
    createOnly: false,
    byClientKey: false,
  } as const;
  expect((await client.send(origin, playerId, body)).kind).toBe('player');
}

async function runUntilDead(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [GATEWAY, nats.url, String(PARTITIONS), ...args], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

type Step = CommandBody['kind'];

describe.each(['before', 'after'] as const)('kill -9 of a gateway %s a step', (when) => {
  it.each<Step>(['BeginMerge', 'AbsorbPlayer', 'FinishMerge'])(
    '%s of a merge loses and doubles nothing',
    async (step) => {
      const [guestId, accountId] = [idIn(0), idIn(1)];
      await register(guestId);
      await register(accountId);
      await runUntilDead([guestId, accountId, step, when, 'merge']);
      const began = step !== 'BeginMerge' || when === 'after';
      expect(await idOf(guestId)).toBe(began ? accountId : guestId);
      const merged = await merges.merge(origin, { guestId, accountId, byClientKey: false });
      expect(merged).toMatchObject({ kind: 'merged', guestId, accountId });
      const account = await client.query(origin, accountId, { kind: 'GetPlayer', playerId: accountId });
      expect(account).toMatchObject({ kind: 'player', merged: [{ guestId }] });
      expect(await merges.intents.find(guestId)).toBeUndefined();
    },
  );

  it.each<Step>(['BeginUnmerge', 'ReleaseGuest', 'FinishUnmerge'])('%s of taking it back neither', async (step) => {
    const [guestId, accountId] = [idIn(0), idIn(1)];
    await register(guestId);
    await register(accountId);
    await merges.merge(origin, { guestId, accountId, byClientKey: false });
    await runUntilDead([guestId, accountId, step, when, 'take back']);
    const began = step !== 'BeginUnmerge' || when === 'after';
    expect(await idOf(guestId)).toBe(began ? guestId : accountId);
    const taken = await merges.takeBack(origin, guestId);
    expect(taken.kind).toBe(began ? 'failure' : 'taken back');
    expect(await idOf(guestId)).toBe(guestId);
    expect(await client.query(origin, accountId, { kind: 'GetPlayer', playerId: accountId })).not.toHaveProperty(
      'merged',
    );
    // The keeper finds what no request needs any more.
    const left = await merges.intents.find(guestId);
    if (left !== undefined) await merges.resume(left);
    expect(await merges.intents.find(guestId)).toBeUndefined();
  });
});
