import { assert, integer, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createLifePlan, type LifePlan, type LifeStep } from './life-plan.ts';

const OPTIONS = record({
  players: integer({ min: 1, max: 30 }),
  knownTimes: integer({ min: 1, max: 5 }),
  knownRest: integer({ min: 0, max: 29 }),
  syncsPerLife: integer({ min: 1, max: 6 }),
  earlierLives: integer({ min: 0, max: 10 }),
}).map(({ players, knownTimes, knownRest, ...rest }) => ({
  ...rest,
  players,
  known: players * knownTimes + (knownRest % players),
}));

const PERIODS = 20;

function stepsOf(plan: LifePlan, ticks: number): LifeStep[] {
  return Array.from({ length: ticks }, (_, tick) => plan.at(tick)).flat();
}

test('every life is an init, its syncs and an end, one after the other; only the first ones are cut short', () => {
  assert(
    property(OPTIONS, (options) => {
      const plan = createLifePlan(options);
      const steps = stepsOf(plan, options.players * PERIODS);
      for (let slot = 0; slot < options.players; slot++) {
        const own = steps.filter((step) => step.slot === slot);
        const text = own.map(({ kind }) => kind[0]).join('');
        const full = `is{${options.syncsPerLife}}e`;
        expect(text).toMatch(new RegExp(`^s{1,${options.syncsPerLife}}(e(${full})*(is*)?)?$`));
        // A life's number goes up with its init and never otherwise.
        let life = 0;
        for (const step of own) {
          if (step.kind === 'init') life += 1;
          expect(step.life).toBe(life);
        }
        expect(life).toBeLessThan(plan.livesIn(options.players * PERIODS));
      }
    }),
  );
});

test('a sync is due at every tick, and each player’s syncs are one period apart', () => {
  assert(
    property(OPTIONS, (options) => {
      const plan = createLifePlan(options);
      const { players } = options;
      for (let tick = 0; tick < players * PERIODS; tick++) {
        const syncs = plan.at(tick).filter(({ kind }) => kind === 'sync');
        expect(syncs.map(({ slot }) => slot)).toEqual([tick % players]);
      }
    }),
  );
});

test('the players who play at the same time are different ones, and all that are known have their turn', () => {
  assert(
    property(OPTIONS, ({ players, known, ...rest }) => {
      const plan = createLifePlan({ players, known, ...rest });
      const owner = new Map<number, number>();
      for (let slot = 0; slot < players; slot++) {
        for (let life = 0; life < 8; life++) {
          const player = plan.playerOf(slot, life);
          expect(player).toBeGreaterThanOrEqual(0);
          expect(player).toBeLessThan(known);
          expect(owner.get(player) ?? slot).toBe(slot);
          owner.set(player, slot);
        }
      }
      expect(owner.size).toBe(players * Math.min(8, Math.floor(known / players)));
    }),
  );
});

test('lives begin and end at a constant rate from the first period on', () => {
  const plan = createLifePlan({ players: 1000, known: 5000, syncsPerLife: 5, earlierLives: 0 });
  for (let period = 1; period < 10; period++) {
    const steps = Array.from({ length: 1000 }, (_, tick) => plan.at(period * 1000 + tick)).flat();
    expect(steps.filter(({ kind }) => kind === 'init')).toHaveLength(200);
    expect(steps.filter(({ kind }) => kind === 'end')).toHaveLength(200);
  }
});
