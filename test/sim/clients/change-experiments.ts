import { sleep } from '../../../core/kernel/clock.ts';
import { draftOf } from '../../../actors/flags/experiment/draft.ts';
import { actionsOf, afterAction, withPhases } from '../../../actors/experiments/life.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import {
  type ExperimentDocument,
  type ExperimentVariant,
  hasEnded,
  isActive,
} from '../../../core/vocabulary/documents/experiments.ts';
import type { Random } from '../random.ts';
import { FLAG_KEYS } from './change-flags.ts';
import type { ChangeOptions } from './change-options.ts';
import { shipOrUndo } from './ship-experiments.ts';

/** Runs experiments on the flags, and changes the game's holdout. */
export async function changeExperiments({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('experiments');
  let made = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.7) ? 600 : 2_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    made += 1;
    const draft = drawDraft(random, made);
    const holdout = random.chance(0.06) ? drawHoldout(random) : undefined;
    const ships = random.chance(0.12);
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { config } = process.serving;
      if (holdout !== undefined) {
        void config.put(gameAddress('demo'), { ...GAME, holdout });
        world.cover('config: holdout changed');
        return;
      }
      const all = config.list('experiment', 'demo', 'live');
      const shippable = all.filter(
        ({ document }) => document.state === 'shipped' || actionsOf(document).includes('ship'),
      );
      if (ships && shippable.length > 0) {
        shipOrUndo({ world, random, config }, random.pick(shippable));
        return;
      }
      const open = all.filter(({ document }) => !hasEnded(document) && document.state !== 'stopped');
      const held =
        open.length === 0 || (open.length < FLAG_KEYS.length && random.chance(0.4)) ? undefined : random.pick(open);
      const [what, document] = changed(random, held?.document, draft, world.clock.wallMs());
      const isRival = all.some(
        (other) =>
          other.key !== document.key && isActive(other.document) && other.document.flagKey === document.flagKey,
      );
      if (isRival && isActive(document)) return;
      const address = { game: 'demo', environment: 'live', kind: 'experiment', key: document.key } as const;
      if (what === 'deleted') void config.delete(address, held?.revision);
      else void config.put(address, document, held?.revision ?? 0);
      world.cover(`config: experiment ${what}`);
    });
  }
}

const GAME = { name: 'Demo', tenant: 'demo', namespace: '6ba7b810-9dad-11d1-80b4-00c04fd430c8', createdAt: 0 };

function drawHoldout(random: Random): { percentage: number; salt: string } | null {
  return random.pick([null, null, { percentage: 20, salt: 'held' }, { percentage: 60, salt: 'held' }]);
}

/** The next version of an experiment, as the API writes it. Only a draft can be deleted, and its key made again. */
function changed(
  random: Random,
  held: ExperimentDocument | undefined,
  draft: ExperimentDocument,
  nowMs: number,
): [what: string, document: ExperimentDocument] {
  if (held === undefined) return ['made', draft];
  const next = { ...held, updatedAt: nowMs, version: held.version + 1 };
  if (held.state === 'draft') {
    if (random.chance(0.8)) return ['started', afterAction(next, 'start', nowMs)];
    if (random.chance(0.5)) return ['deleted', held];
    const { version } = next;
    return ['draft edited', { ...draft, key: held.key, name: held.name, version }];
  }
  const { traffic, audience } = draft;
  const layer = held.layer === null ? null : { ...held.layer, to: random.pick([50, 100]) };
  const again = held.state === 'paused' ? 'resume' : 'pause';
  return random.pick<() => [string, ExperimentDocument]>([
    () => ['of another traffic', { ...next, traffic }],
    () => ['of another audience', { ...next, audience, layer }],
    () => reweighted(held, next, draft, nowMs),
    () => reweighted(held, next, draft, nowMs),
    () => [again === 'resume' ? 'resumed' : 'paused', afterAction(next, again, nowMs)],
    () =>
      random.chance(0.5) ? ['stopped', afterAction(next, 'stop', nowMs)] : ['of another traffic', { ...next, traffic }],
  ])();
}

/** With other shares, or without a variant. The control stays. */
function reweighted(
  held: ExperimentDocument,
  next: ExperimentDocument,
  { variants, flagKey }: ExperimentDocument,
  nowMs: number,
): [string, ExperimentDocument] {
  const isBoolean = (key: string) => Number(key.slice(-1)) % 2 === 0;
  if (isBoolean(flagKey) !== isBoolean(held.flagKey)) return ['of the same shares', next];
  const control = held.variants[0]?.key;
  const inOrder = variants.toSorted((one, other) => Number(other.key === control) - Number(one.key === control));
  if (inOrder[0]?.key !== control) return ['of the same shares', next];
  return ['of other shares', withPhases(held, { ...next, variants: inOrder }, nowMs)];
}

function drawDraft(random: Random, made: number): ExperimentDocument {
  const flagKey = random.pick(FLAG_KEYS);
  const place = random.int(0, 50);
  const key = `experiment-${random.chance(0.3) ? random.int(0, 3) : made}`;
  return draftOf(key, `salt of experiment ${made}`, {
    flagKey,
    mode: random.chance(0.2) ? 'aa' : 'ab',
    audience: drawAudience(random),
    traffic: random.pick([100, 100, 70, 30.5]),
    variants: drawVariants(random, Number(flagKey.slice(-1)) % 2 === 0),
    bucketBy: random.chance(0.6) ? 'player' : random.pick(['device', 'attribute:a1']),
    layer: random.chance(0.2) ? { key: random.pick(['shop', 'map']), from: place, to: 100 } : null,
  });
}

function drawAudience(random: Random): ExperimentDocument['audience'] {
  const segmentId = random.chance(0.15) ? `segment-${random.int(0, 2)}` : null;
  if (random.chance(0.8)) return { segmentId };
  return { segmentId, conditions: { [`attributes.a${random.int(1, 3)}`]: { $gte: random.int(1, 5) } } };
}

function drawVariants(random: Random, isBoolean: boolean): ExperimentVariant[] {
  const keys = isBoolean
    ? ['false', 'true']
    : random.pick([
        ['a', 'b'],
        ['b', 'a', 'c'],
        ['a', 'b', 'c'],
        ['a', 'c'],
      ]);
  return keys.map((key) => ({ key, weight: random.pick([1, 1, 2, 5]) }));
}
