import type { Mutant } from './mutant.ts';

/** Bugs of experiments: who has which variant, and as what an exposure counts. */
export const EXPERIMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an experiment draws players anew who have a variant',
    changes: [
      {
        file: 'actors/flags/experiment/compile-experiment.ts',
        original: 'if (kept !== undefined) return kept;',
        mutated: "if (kept?.outcome === 'dropped') return kept;",
      },
    ],
  },
  {
    name: 'the record of a player loses its variant when something else is served',
    changes: [
      {
        file: 'actors/flags/experiment/trials.ts',
        original: 'now.variant === DROPPED ? now : kept;',
        mutated: 'now.variant === DROPPED ? kept : now;',
      },
    ],
  },
  {
    name: 'a paused experiment takes new players',
    changes: [
      {
        file: 'actors/flags/experiment/compile-experiment.ts',
        original: "const open = state === 'running' && answers.split",
        mutated: "const open = state !== 'draft' && answers.split",
      },
    ],
  },
  {
    name: 'a holdout loses its players to experiments',
    changes: [
      {
        file: 'actors/flags/experiment/compile-experiment.ts',
        original: "if (isHeldOut(holdout, subject.player.id)) return { outcome: 'held_out', trial: heldOut };",
        mutated: 'void heldOut;',
      },
    ],
  },
  {
    name: 'taking a winner back leaves its rule',
    changes: [
      {
        file: 'actors/experiments/ship.ts',
        original: "if (shippedBy.by === 'rule') return { ...rest, rules: rest.rules.slice(1) };",
        mutated: "if (shippedBy.by === 'rule') return rest;",
      },
    ],
  },
  {
    name: 'a player who is held out is forgotten beside an override',
    changes: [
      {
        file: 'actors/flags/experiment/trials.ts',
        original: "reason === 'player_override' || reason === 'flag_disabled'",
        mutated: "reason === 'flag_disabled'",
      },
    ],
  },
  {
    name: 'a rebuilt state loses the variants that experiments assigned',
    changes: [
      {
        file: 'core/codec/state/served-layout.ts',
        original: 'trial: { experiment, phase, variant } }',
        mutated: 'trial: undefined }',
      },
    ],
  },
];
