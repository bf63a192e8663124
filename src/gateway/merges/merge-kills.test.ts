import { describe, expect, it } from 'vitest';
import { partitionOf } from '../../../core/kernel/partition.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import { createBackbone, type Backbone, type BackboneNode } from '../../../test/support/servers/backbone.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import type { Backend } from '../../api/route/backend.ts';
import { SAGA_LIMITS } from './limits.ts';
import { startMergeKeeper } from './merge-keeper.ts';
import { createGatewayMerges } from './merges.ts';

/*
 * A process that is killed at each step of a merge, with its owners. Another one has the partitions then, and its
 * keeper goes on.
 */

const PARTITIONS = 2;
const [guest, account] = [idIn(0), idIn(1)];
const origin = { game: 'demo', environment: 'live', receivedAt: Date.UTC(2026, 0, 1), by: 'server' } as const;

function idIn(partition: number): string {
  for (let n = 0; ; n++) {
    const id = `0000000${n}`.slice(-8) + '-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
    if (partitionOf(id, PARTITIONS) === partition) return id;
  }
}

type Step = CommandBody['kind'];
const STEPS: readonly Step[] = [
  'BeginMerge',
  'AbsorbPlayer',
  'FinishMerge',
  'BeginUnmerge',
  'ReleaseGuest',
  'FinishUnmerge',
];

/** A gateway that dies before or after the owner has decided a step. */
function dyingOwners(node: BackboneNode, step: Step, when: 'before' | 'after'): Backend {
  const { commandClient } = node;
  return {
    ...commandClient,
    async send(by, entityId, body) {
      if (body.kind !== step) return commandClient.send(by, entityId, body);
      if (when === 'after') await commandClient.send(by, entityId, body);
      node.kill();
      return new Promise(() => {});
    },
  };
}

function gatewayOf({ log, clock, commandClient }: BackboneNode, owners: Backend = commandClient) {
  return createGatewayMerges({ owners, log, clock, ids: systemIds, logger: silentLogger });
}

async function setUp(): Promise<{ backbone: Backbone; one: BackboneNode; two: BackboneNode }> {
  const backbone = createBackbone({ partitions: PARTITIONS });
  const one = await backbone.lead('one');
  await backbone.register(one, guest);
  await backbone.register(one, account);
  await backbone.track(one, guest, 'win', 'as guest');
  const two = backbone.start('two');
  return { backbone, one, two };
}

/** Lets the second process take over, and its keeper go on. */
async function recover({ backbone, two }: { backbone: Backbone; two: BackboneNode }) {
  const merges = gatewayOf(two);
  const stop = startMergeKeeper({
    merges,
    log: two.log,
    holder: 'two',
    mayWrite: () => true,
    onEnded: () => {},
    clock: two.clock,
    logger: silentLogger,
  });
  await backbone.clock.advance(SAGA_LIMITS.intentAgeMs + 60_000);
  const open = merges.intents.watch(() => {});
  await backbone.clock.advance(1_000);
  const left = open.open();
  open.stop();
  const read = (playerId: string) =>
    backbone.complete(merges.backend.query(origin, playerId, { kind: 'GetPlayer', playerId }));
  const found = await Promise.all([read(guest), read(account)]);
  await backbone.complete(stop());
  return { left, found, merges };
}

describe.each(['before', 'after'] as const)('kill -9 %s a step', (when) => {
  it.each(STEPS.slice(0, 3))('%s of a merge: it ends with one player', async (step) => {
    const { backbone, one, two } = await setUp();
    const merges = gatewayOf(one, dyingOwners(one, step, when));
    void merges.merge(origin, { guestId: guest, accountId: account, byClientKey: false });
    await backbone.clock.advance(1_000);
    const { left, found } = await recover({ backbone, two });
    expect(left).toEqual([]);
    expect(found.map((reply) => (reply.kind === 'player' ? reply.player.id : reply.kind))).toEqual([account, account]);
    expect(backbone.facts('PlayerAbsorbed')).toHaveLength(1);
    expect(backbone.facts('MergeFinished')).toHaveLength(1);
  });

  it.each(STEPS.slice(3))('%s of taking it back: it ends with two players', async (step) => {
    const { backbone, one, two } = await setUp();
    const merges = gatewayOf(one, dyingOwners(one, step, when));
    await backbone.complete(merges.merge(origin, { guestId: guest, accountId: account, byClientKey: false }));
    void merges.takeBack(origin, guest);
    await backbone.clock.advance(1_000);
    const { left, found } = await recover({ backbone, two });
    expect(left).toEqual([]);
    expect(found.map((reply) => (reply.kind === 'player' ? reply.player.id : reply.kind))).toEqual([guest, account]);
    expect(backbone.facts('GuestReleased')).toHaveLength(1);
    expect(backbone.facts('PlayerUnmerged')).toHaveLength(1);
  });
});
