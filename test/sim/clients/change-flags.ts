import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { withPeriods } from '../../../actors/flags/periods.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { FlagDocument, FlagPrerequisite, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import type { BucketBy, FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { Random } from '../random.ts';
import type { ChangeOptions } from './change-options.ts';

/** The maximum number of flags. */
const FLAGS = 4;

/** The flags' keys. */
export const FLAG_KEYS: readonly string[] = Array.from({ length: FLAGS }, (_, turn) => `flag-${turn}`);

/** The variant that an event sometimes names. The flag may not have it. */
export function naming(random: Random): { variant_key?: string } {
  return random.chance(0.3) ? { variant_key: random.pick(['a', 'b', 'c', 'true', 'false']) } : {};
}

/** Creates, edits and archives flags through random processes. */
export async function changeFlags({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('flags');
  let edits = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.5) ? 800 : 4_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    edits += 1;
    const description = `edit ${edits}`;
    const drawn = drawFlag(random);
    const isOnlyWords = random.chance(0.2);
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { config } = process.serving;
      const address = { game: 'demo', environment: 'live', kind: 'flag', key: drawn.key } as const;
      const entry = config.get(address);
      const document = { ...next(entry?.document, drawn, isOnlyWords, world.clock.wallMs()), description };
      // As the API does: the write fails if the document changed since this process read it.
      void config.put(address, document, entry?.revision ?? 0);
      world.cover(document.archivedAt === null ? 'config: flag written' : 'config: flag archived');
    });
  }
}

/** The flag's next version, with its periods. */
function next(held: FlagDocument | undefined, drawn: FlagDocument, isOnlyWords: boolean, nowMs: number): FlagDocument {
  if (held === undefined) return { ...drawn, version: 1, periods: [{ period: 1, version: 1, since: nowMs }] };
  const { shippedBy } = held;
  const edited = isOnlyWords ? held : { ...drawn, ...(shippedBy && { shippedBy }), version: held.version };
  return { ...withPeriods(held, edited, nowMs), version: held.version + 1 };
}

/** A flag has only earlier flags as prerequisites, so that there are no cycles. */
function drawFlag(random: Random): FlagDocument {
  const turn = random.int(0, FLAGS - 1);
  const isBoolean = turn % 2 === 0;
  const before = turn - random.int(1, FLAGS);
  const variants = [
    { key: 'a', value: 'a', weight: 1 },
    { key: 'b', value: 'b', weight: random.pick([1, 3]) },
    // For experiments.
    { key: 'c', value: 'c', weight: 0 },
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
    ...(random.chance(0.2) ? { defaultServe: drawServe(random, isBoolean) } : {}),
    ...(random.chance(0.2) ? { bucketBy: random.pick(BUCKETED_BY) } : {}),
    rules: Array.from({ length: random.int(0, 3) }, () => drawRule(random, isBoolean)),
    prerequisites: before >= 0 && random.chance(0.4) ? [drawNeed(random, before)] : [],
    createdAt: 0,
    updatedAt: 0,
    archivedAt: random.chance(0.08) ? 1 : null,
    version: 0,
    periods: [],
  };
}

const BUCKETED_BY: readonly BucketBy[] = ['device', 'attribute:a1', 'attribute:a2'];

function drawNeed(random: Random, turn: number): FlagPrerequisite {
  const flagKey = `flag-${turn}`;
  if (turn % 2 === 0) return { flagKey, value: true };
  return random.chance(0.5) ? { flagKey, value: 'a' } : { flagKey, variantKey: 'b' };
}

function drawServe(random: Random, isBoolean: boolean): FlagServe {
  if (isBoolean) return { value: random.chance(0.5) };
  return random.pick<FlagServe>([
    { variant: 'b' },
    { value: 'remote' },
    {
      weights: [
        { key: 'b', weight: random.pick([1, 4]) },
        { key: 'a', weight: 1 },
      ],
    },
  ]);
}

function drawRule(random: Random, isBoolean: boolean): FlagRule {
  const serves = random.chance(0.3);
  const condition = random.pick<() => JsonObject>([
    () => ({ [`attributes.a${random.int(1, 3)}`]: { $gte: random.int(1, 8) } }),
    () => ({ $inSegment: [`segment-${random.int(0, 2)}`, `segment-${random.int(0, 2)}`] }),
    () => ({ $not: { $bucket: { salt: 'one', by: random.pick(BUCKETED_BY), below: random.pick([30, 50]) } } }),
  ])();
  return {
    name: '',
    segmentId: random.chance(0.5) ? `segment-${random.int(0, 2)}` : null,
    ...(random.chance(0.3) ? { conditions: condition } : {}),
    value: serves || random.chance(0.85),
    ...(serves ? { serve: drawServe(random, isBoolean) } : {}),
    ...(random.chance(0.2) ? { salt: random.pick(['own', 'another']) } : {}),
    ...(random.chance(0.15) ? { bucketBy: random.pick(BUCKETED_BY) } : {}),
    percentage: random.pick([100, 100, 50, 20.5]),
    priority: random.int(0, 2),
    startAt: null,
    endAt: null,
  };
}
