import { beforeEach, describe, expect, it } from 'vitest';
import type { FlagsReply } from '../../../core/vocabulary/commands/replies.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import type { MemoryFaults } from '../../../streams/log/memory/log-memory.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { type Backbone, type BackboneNode, createBackbone } from '../../../test/support/servers/backbone.ts';
import { aRule, aSplitFlag } from '../../flags/evaluate/testing-flag.ts';
import { aRunning } from '../../flags/experiment/testing-experiment.ts';
import { createLiveDefinitions } from '../definitions/live-definitions.ts';

const P1 = 'player-1';
const SHOP = aSplitFlag({ a: 1, b: 1, c: 1 }, { key: 'shop', rules: [aRule({ serve: { variant: 'c' } })] });
const FIRST = aRunning([{ a: 1, b: 0 }]);
const SECOND = aRunning([
  { a: 1, b: 0 },
  { a: 0, b: 1 },
]);

describe('a process whose definitions are older than those of others', () => {
  let world: Backbone;
  /** The process whose watch of CONFIG stands still. */
  let late: string | undefined;
  const faults: MemoryFaults = {
    leaderInMs: (source, client, use) => (source === 'CONFIG' && use === 'consume' && client === late ? 50 : 0),
  };

  beforeEach(() => {
    late = undefined;
    world = createBackbone({ faults });
  });

  /** A process with its own view of CONFIG. */
  async function processOf(name: string) {
    const config = await world.complete(openConfigStore(world.broker.connect(name), world.clock, silentLogger));
    const definitions = createLiveDefinitions(config, silentLogger);
    return {
      config,
      start: () => world.start(name, { config, definitions }),
      lead: () => world.lead(name, { config, definitions }),
      put: (experiment: ExperimentDocument) =>
        world.complete(
          config.put({ game: 'demo', environment: 'live', kind: 'experiment', key: experiment.key }, experiment),
        ),
    };
  }

  const evaluate = (node: BackboneNode, playerId = P1) =>
    world.complete(
      node.commandClient.query({ game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() }, playerId, {
        kind: 'EvaluateFlags',
        playerId,
        flagKeys: ['shop'],
        context: '{}',
        exposes: true,
        by: 'server',
      }),
    );

  const trialIn = (reply: Awaited<ReturnType<typeof evaluate>>) =>
    isFlags(reply) ? reply.evaluations.map(({ trial }) => trial) : reply;

  const records = () => world.facts('FlagsServed').flatMap(({ flags }) => flags.map(({ trial }) => trial));
  const ASSIGNED = { experiment: 'wide', phase: 1, variant: 'a' };

  it('takes no partition over, so that players of an experiment which it does not know yet keep their variants', async () => {
    const [a, b] = [await processOf('a'), await processOf('b')];
    const flag = { game: 'demo', environment: 'live', kind: 'flag', key: 'shop' } as const;
    await world.complete(a.config.put(flag, SHOP));
    await world.clock.advance(100);
    late = 'b';
    await a.put(FIRST);
    const old = await a.lead();
    await world.register(old, P1);
    expect(trialIn(await evaluate(old))).toEqual([ASSIGNED]);
    await a.put(SECOND);
    await world.register(old, 'player-2');
    old.kill();
    const next = b.start();
    await world.clock.advance(60_000);
    expect(await evaluate(next)).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
    late = undefined;
    await world.clock.advance(60_000);
    expect(trialIn(await evaluate(next))).toEqual([ASSIGNED]);
    expect(records()).toEqual([ASSIGNED]);
  });

  it('assigns newcomers in the phase that it knows, for gateways that know no later one, and for good', async () => {
    const [a, b] = [await processOf('a'), await processOf('b')];
    await world.complete(a.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: 'shop' }, SHOP));
    await a.put(FIRST);
    await world.clock.advance(100);
    const owner = await b.lead();
    const newer = a.start();
    await world.complete(newer.actors.stop());
    for (const id of [P1, 'player-2', 'player-3']) await world.register(owner, id);
    late = 'b';
    await a.put(SECOND);
    expect(trialIn(await evaluate(owner))).toEqual([ASSIGNED]);
    expect(await evaluate(newer, 'player-2')).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
    late = undefined;
    await world.clock.advance(1_000);
    expect(trialIn(await evaluate(owner))).toEqual([ASSIGNED]);
    const later = { experiment: 'wide', phase: 2, variant: 'b' };
    expect(trialIn(await evaluate(newer, 'player-2'))).toEqual([later]);
    late = 'b';
    await a.put({ ...SECOND, state: 'stopped', stoppedAt: 5 });
    expect(trialIn(await evaluate(owner, 'player-3'))).toEqual([later]);
    late = undefined;
    await world.clock.advance(1_000);
    expect(trialIn(await evaluate(owner, 'player-3'))).toEqual([undefined]);
    const exposed = world.facts('FlagExposed').map(({ entityId, trial }) => [entityId, trial]);
    expect(exposed).toEqual([
      [P1, ASSIGNED],
      ['player-2', later],
      ['player-3', later],
      ['player-3', undefined],
    ]);
  });

  it('takes it over if CONFIG itself is older: it was put back to another moment than FACTS', async () => {
    const seen = { revision: 9, seen: () => Promise.resolve(true) };
    const old = await world.lead('a', { config: seen });
    await world.register(old, P1);
    old.kill();
    const next = await world.lead('b', { config: { revision: 0, seen: () => Promise.resolve(false) } });
    expect(await world.read(next, P1)).toMatchObject({ kind: 'player' });
    expect(world.records().at(-1)?.record.configRevision).toBe(0);
  });
});

function isFlags(reply: { kind: string }): reply is FlagsReply {
  return reply.kind === 'flags';
}
