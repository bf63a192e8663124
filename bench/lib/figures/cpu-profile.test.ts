import { expect, test } from 'vitest';
import { moduleGroup } from './module-group.ts';
import { summariseProfile, type CpuProfile } from './cpu-profile.ts';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });

/** root → decide → decide (recursion) → gc; root → idle */
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 5] },
    { id: 2, callFrame: frame('decide', 'file:///x/actors/decide.ts', 9), children: [3] },
    { id: 3, callFrame: frame('decide', 'file:///x/actors/decide.ts', 9), children: [4] },
    { id: 4, callFrame: frame('(garbage collector)') },
    { id: 5, callFrame: frame('(idle)') },
  ],
  samples: [2, 3, 4, 5, 2],
  timeDeltas: [0, 1_000, 2_000, 4_000, 8_000],
};

test('self time goes to the sampled function, total time to all above it, once each', () => {
  const { functions } = summariseProfile(PROFILE);
  const decide = functions.find(({ name }) => name.startsWith('decide'));
  expect(decide).toEqual({ name: 'decide actors/decide.ts:10', group: 'actors: domain', selfMs: 3, totalMs: 7 });
});

test('groups add up to the busy time; being idle is no work', () => {
  const { spanMs, busyMs, groups } = summariseProfile(PROFILE);
  expect(spanMs).toBe(15);
  expect(busyMs).toBe(7);
  expect(groups.slice(0, 2)).toEqual([
    { group: 'garbage collection', selfMs: 4 },
    { group: 'actors: domain', selfMs: 3 },
  ]);
});

test.each([
  ['publish', 'file:///x/node_modules/@nats-io/nats-core/lib/protocol.js', '', 'NATS client'],
  ['encode', 'file:///x/streams/codec.ts', '', 'codec'],
  ['readFact', 'file:///x/streams/wire/fact-layout.ts', '', 'codec'],
  ['send', 'file:///x/src/gateway/backend/command-client.ts', '', 'gateway: group commit'],
  ['validate12', '', 'file:///x/src/api/validation.ts', 'validation'],
  ['end', '', 'file:///x/src/gateway/http/exchange.ts', 'native: uWebSockets.js'],
  ['writeBuffer', '', 'node:net', 'native: Node, sockets'],
  ['toString', '', 'file:///x/streams/codec.ts', 'native: other'],
  ['(program)', '', '', 'native: event loop, kernel'],
  ['run', 'file:///x/actors/runtime/partition-owner.ts', '', 'actors: runtime'],
  ['_writev', 'node:net', '', 'Node'],
])('%s in "%s", called from "%s", belongs to %s', (name, url, callerUrl, group) => {
  expect(moduleGroup(name, url, callerUrl)).toBe(group);
});
