import type { Mutant } from './mutant.ts';

const FILL = 'actors/runtime/fill/property-fill.ts';
const FILL_QUEUE = 'actors/runtime/fill/fill-queue.ts';
const PLAYER = 'actors/runtime/fill/fill-player.ts';
const EVOLVE = 'actors/computed/evolve-properties.ts';

/** Bugs of computed properties: an event counts twice, not at all, or for another life of its player. */
export const COMPUTED_MUTANTS: readonly Mutant[] = [
  {
    name: 'a computed property: the events of the record in which it began are filled too',
    changes: [{ file: PLAYER, original: 'sequence >= property.from', mutated: 'sequence > property.from' }],
  },
  {
    name: 'a computed property: the past is read before ClickHouse holds it',
    changes: [
      { file: FILL, original: 'await untilConfirmed(source, beforeSequence - 1);', mutated: 'void untilConfirmed;' },
    ],
  },
  {
    name: 'a computed property: events of an erased life are filled',
    changes: [{ file: PLAYER, original: 'if (sequence < bornSeq) return;', mutated: '' }],
  },
  {
    name: 'a computed property: a sweep evaluates values that it drops',
    changes: [
      {
        file: 'actors/runtime/term/build-commit.ts',
        original: 'const kept = dropEnded(draft, state, atMs);',
        mutated: 'dropEnded(draft, state, atMs); const kept = state;',
      },
    ],
  },
  {
    name: 'a computed property: a repeated fill counts again',
    changes: [{ file: EVOLVE, original: 'if (isHeld && held.filled) return state;', mutated: '' }],
  },
  {
    name: 'a computed property: the beginning of a life is not stored',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'state.bornSeq ?? null,',
        mutated: 'null,',
      },
    ],
  },
  {
    name: 'a computed property: the next life of an erased player has no beginning',
    changes: [
      {
        file: 'actors/runtime/term/entities.ts',
        original: "if (state.kind === 'player' && state.bornSeq === 0) state.bornSeq = sequence;",
        mutated: '',
      },
    ],
  },
  {
    name: 'a computed property: values of an earlier definition go on',
    changes: [
      {
        file: EVOLVE,
        original: 'if (held !== undefined && held.generation === generation) {',
        mutated: 'if (held !== undefined) {',
      },
    ],
  },
  {
    name: 'a computed property: values stay when it ends',
    changes: [{ file: 'actors/runtime/term/build-commit.ts', original: 'dropEnded(draft, state, atMs);', mutated: '' }],
  },
  {
    name: 'a computed property: a life that begins during the fill gets the past of the one before',
    changes: [
      {
        file: FILL_QUEUE,
        original: "if (state?.kind !== 'player' || (state.bornSeq ?? 0) !== bornSeq) return;",
        mutated: "if (state?.kind !== 'player') return;",
      },
    ],
  },
  {
    name: 'a computed property: imported events do not count',
    changes: [
      {
        file: 'actors/import/evolve-import.ts',
        original: 'computed: withAllComputed(state.computed, computed) };',
        mutated: '...(withAllComputed === undefined ? {} : {}) };',
      },
    ],
  },
  {
    name: 'a computed property: players who enter by their past trigger no campaign',
    changes: [
      {
        file: FILL_QUEUE,
        original: 'triggerCampaigns(draft, since, definitions.campaigns(game, environment), context);',
        mutated: 'void [since, context];',
      },
    ],
  },
];
