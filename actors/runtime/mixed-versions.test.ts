import { beforeEach, describe, expect, it } from 'vitest';
import { createBackbone, type Backbone, type BackboneNode } from '../../test/support/servers/backbone.ts';
import { decodeReplies, encodeCommit } from '../../core/codec/codec.ts';
import { encodeFrame } from '../../core/codec/frame.ts';
import { commandToTuple } from '../../core/codec/messages/command-layout.ts';
import { aCommand } from '../testing-players.ts';

/* An owner of this version meets what a newer version sends or has stored. */

const P1 = 'player-1';
const packed = (value: unknown, version = 1) =>
  Buffer.concat([Buffer.from([version]), encodeFrame([value]).subarray(1)]);

describe('an owner of an older version', () => {
  let world: Backbone;
  let node: BackboneNode;
  /** Replies to the newer gateway, in order. */
  let replies: string[];

  beforeEach(async () => {
    world = createBackbone();
    node = await world.lead('a');
    await world.register(node, P1);
    replies = [];
    node.log.subscribe('replies.newer', (data) => {
      for (const { requestId, reply } of decodeReplies(data)) {
        replies.push(`${requestId} ${reply.kind === 'failure' ? `${reply.code} ${reply.message}` : reply.kind}`);
      }
    });
  });

  const terms = () => world.records().filter(({ record }) => record.epoch === 0).length;

  /** A command of a newer gateway, with another body. */
  function newer(requestId: string, body: unknown): unknown[] {
    const known = aCommand({ kind: 'PatchPlayer', playerId: P1 }, { requestId, replyTo: 'newer' });
    const tuple: unknown[] = commandToTuple({ ...known, deadlineAt: world.clock.wallMs() + 5_000 });
    tuple[7] = body;
    return [...tuple, 'a later field'];
  }

  async function send(data: Uint8Array): Promise<void> {
    await node.log.append('requests.0', data);
    await world.clock.advance(5);
  }

  it('fails commands of unknown kinds and layouts by themselves, and its term goes on', async () => {
    const known = { kind: 'PatchPlayer', playerId: P1, email: 'a@example.org' };
    const unknown = [
      newer('1', { kind: 'FreezePlayer', playerId: P1 }),
      newer('2', ['freeze', P1]),
      newer('3', null),
      newer('4', known),
    ];
    await send(packed(unknown));
    const failed =
      'SERVICE_UNAVAILABLE The owner of this player runs an older version, which does not know this request;';
    expect(replies).toEqual([
      `1 ${failed} retry after the upgrade.`,
      `2 ${failed} retry after the upgrade.`,
      `3 ${failed} retry after the upgrade.`,
      '4 player',
    ]);
    const before = world.clock.wallMs();
    expect(await world.track(node, P1, 'next')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.clock.wallMs() - before).toBeLessThan(50);
    expect(terms()).toBe(1);
  });

  it('passes over a message that it cannot decode, and stores its position behind it before other replies', async () => {
    await send(packed([newer('1', null)], 9));
    await send(packed({ a: 'message that is no list' }));
    await send(Buffer.from([1, 0, 1, 0xc1]));
    const before = world.records().length;
    expect(await world.track(node, P1, 'next')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.records().slice(before)).toHaveLength(1);
    expect(terms()).toBe(1);
  });

  it('answers queries of unknown kinds with 503, and the others of their message', async () => {
    const envelope = { replyTo: 'newer', game: 'demo', environment: 'live', configRevision: 0 };
    const deadlineAt = world.clock.wallMs() + 5_000;
    const queries = [
      { ...envelope, deadlineAt, requestId: '1', body: { kind: 'GetFuture', playerId: P1 } },
      { ...envelope, deadlineAt, requestId: '2' },
      { ...envelope, deadlineAt, requestId: '3', body: { kind: 'GetPlayer', playerId: P1 } },
      null,
    ];
    node.log.publish('queries.0', packed(queries));
    await world.clock.advance(5);
    expect(replies.toSorted()).toEqual([
      expect.stringMatching(/^1 SERVICE_UNAVAILABLE The owner .* older version/),
      expect.stringMatching(/^2 SERVICE_UNAVAILABLE The owner .* older version/),
      '3 player',
    ]);
  });

  it('does not lead past a fact that it does not know, and keeps its local store', async () => {
    const { sequence } = world.records().at(-1) ?? { sequence: 0 };
    const fact = { kind: 'PlayerFrozen', entityId: P1, game: 'demo', environment: 'live', at: 1 };
    const record = encodeFrame([[0, 1, 'newer', 1, null, 0], [fact]]);
    await node.log.append('facts.0', record, { expectedLastSequence: sequence });
    // A record behind it that every version can read.
    const last = {
      partition: 0,
      epoch: 1,
      owner: 'newer',
      committedAt: 1,
      position: null,
      configRevision: 0,
      facts: [],
    };
    await node.log.append('facts.0', encodeCommit(last), { expectedLastSequence: sequence + 1 });
    node.kill();
    const other = world.start('a', { stores: node.stores, incarnation: '2' });
    await world.clock.advance(30_000);
    expect(await world.track(other, P1, 'next')).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
    expect(await other.metrics.text()).toContain('owner_stores_discarded_total 0\n');
  });
});
