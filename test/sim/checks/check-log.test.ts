import { expect, it } from 'vitest';
import { aCommand } from '../../../actors/testing-players.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { createHistory } from '../history.ts';
import { predict } from '../model/model.ts';
import { createWorld } from '../world.ts';
import { checkLog } from './check-log.ts';

const GATEWAY = 'n1-1';
const OWNER = 'n2.1.1';
/** The owner's clock at the record, and a gateway's that is ahead. */
const NOW_MS = 1_767_225_600_000;
const AHEAD_MS = NOW_MS + 60_000;

/** Two claims of one key, each with its reply, and the record that holds the facts of one; FACTS refused the first. */
function claimTwice(replies: readonly [Reply, Reply]) {
  const world = createWorld(1);
  const history = createHistory(world);
  const claims = replies.map((_, index) =>
    aCommand(
      { kind: 'ClaimIdempotencyKey', ledgerId: 'ledger:key-1', idempotency: { key: 'key-6', bodyHash: 'hash-6' } },
      {
        by: 'server',
        replyTo: GATEWAY,
        requestId: String(index + 1),
        receivedAt: AHEAD_MS + index,
        deadlineAt: AHEAD_MS + 6_000,
      },
    ),
  );
  const requests = claims.map((command, index) => {
    const tick = world.tick();
    return { incarnation: 1, sequence: index + 1, partition: 0, storedAtMs: index, tick, atMs: 0, commands: [command] };
  });
  const attempts = claims.map((command) => {
    const { game, environment, body } = command;
    const origin = { game, environment, by: 'server' as const, receivedAt: 0 };
    const attempt = history.begin({ gateway: GATEWAY, partition: 0, origin, body });
    history.received(attempt, command.receivedAt, 0);
    return attempt;
  });
  history.sent(claims);
  const first = claims[0];
  const facts = first === undefined ? [] : predict(() => undefined, { ...first, receivedAt: NOW_MS }).facts;
  const recordOf = (given: Partial<CommitRecord>): CommitRecord => ({
    partition: 0,
    epoch: 1,
    owner: OWNER,
    committedAt: NOW_MS,
    position: null,
    configRevision: 0,
    facts: [],
    ...given,
  });
  const positionOf = (sequence: number) => ({ stream: '', sequence, index: 0, publishedAtMs: sequence - 1 });
  const commits = [recordOf({ epoch: 0 }), recordOf({ position: positionOf(2), facts })].map((record, index) => ({
    sequence: index + 1,
    tick: world.tick(),
    atMs: 0,
    record,
    handed: { earlier: [], last: [] },
  }));
  attempts.forEach((attempt, index) => history.end(attempt, replies[index] ?? 'lost'));
  const log = checkLog({
    world,
    observer: { commits, requests, deliveries: new Map(), factsCreated: '' },
    history,
    config: {
      segmentsAt: () => [],
      segmentsSince: () => [[]],
      lastSegmentRevision: 0,
      neededAt: () => new Map(),
      namedSince: () => [new Map()],
    },
    flags: { flagsAt: () => new Map(), since: () => new Set(), between: () => new Set() },
    campaigns: { campaignsAt: () => [], latest: () => [] },
    campaignFactsPerCommand: 2,
    partition: 0,
    refused: [recordOf({ position: positionOf(1), facts })],
  });
  return { violation: world.violation, placed: [...log.placements.keys()] };
}

const UNAVAILABLE: Reply = { kind: 'failure', code: 'SERVICE_UNAVAILABLE' };

it('gives equal facts to the command that was answered, not to the one before it that FACTS refused', () => {
  expect(claimTwice([UNAVAILABLE, { kind: 'claimed' }])).toEqual({ violation: undefined, placed: ['n1-1/2'] });
});

it('gives the facts to the command that FACTS refused if the later one was answered as its repeat', () => {
  const replayed: Reply = { kind: 'claimed', replayed: true };
  expect(claimTwice([UNAVAILABLE, replayed])).toEqual({ violation: undefined, placed: ['n1-1/1'] });
});
