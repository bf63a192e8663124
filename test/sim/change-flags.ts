import { sleep } from '../../src/kernel/clock.ts';
import type { FlagDocument, FlagRule } from '../../streams/config/documents.ts';
import type { ChangeOptions } from './definitions.ts';
import type { Random } from './random.ts';

/** How many flags there are at most. */
const FLAGS = 4;

/** Keys of the simulation's flags. */
export const FLAG_KEYS: readonly string[] = Array.from({ length: FLAGS }, (_, turn) => `flag-${turn}`);

/** Makes, edits and archives flags through some process or other. */
export async function changeFlags({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('flags');
  let version = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.5) ? 800 : 4_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    version += 1;
    const document = drawFlag(random, version);
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { key } = document;
      void process.serving.config.put({ game: 'demo', environment: 'live', kind: 'flag', key }, document);
      world.cover(document.archivedAt === null ? 'config: flag written' : 'config: flag archived');
    });
  }
}

/** A flag waits for one before it only, so that there are no cycles. */
function drawFlag(random: Random, version: number): FlagDocument {
  const turn = random.int(0, FLAGS - 1);
  const isBoolean = turn % 2 === 0;
  const before = turn - random.int(1, FLAGS);
  const variants = [
    { key: 'a', value: 'a', weight: 1 },
    { key: 'b', value: 'b', weight: random.pick([1, 3]) },
  ];
  return {
    key: `flag-${turn}`,
    name: '',
    description: '',
    flagType: isBoolean ? 'boolean' : 'string',
    enabled: random.chance(0.85),
    defaultValue: isBoolean ? false : random.pick([null, 'a', 'none']),
    salt: `salt-${turn}`,
    variants: isBoolean ? [] : variants,
    rules: Array.from({ length: random.int(0, 3) }, () => drawRule(random)),
    prerequisites:
      before >= 0 && random.chance(0.4) ? [{ flagKey: `flag-${before}`, value: before % 2 === 0 || 'a' }] : [],
    createdAt: 0,
    updatedAt: 0,
    archivedAt: random.chance(0.08) ? 1 : null,
    version,
  };
}

function drawRule(random: Random): FlagRule {
  const condition = { [`attributes.a${random.int(1, 3)}`]: { $gte: random.int(1, 8) } };
  return {
    name: '',
    segmentId: random.chance(0.5) ? `segment-${random.int(0, 2)}` : null,
    ...(random.chance(0.3) ? { conditions: condition } : {}),
    value: random.chance(0.85),
    percentage: random.pick([100, 100, 50, 20.5]),
    priority: random.int(0, 2),
    startAt: null,
    endAt: null,
  };
}
