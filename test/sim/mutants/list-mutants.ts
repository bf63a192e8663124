import type { Mutant } from './mutant.ts';

/** Bugs of segments that have lists, or read others. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'an owner changes a list that is no longer in force',
    changes: [
      {
        file: 'actors/segments/list-players.ts',
        original: 'if (inForce !== undefined && inForce !== active) {',
        mutated: "if (inForce === '') {",
      },
    ],
  },
  {
    name: 'stored states lose the lists of their players',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'state.lists?.map(listToTuple) ?? null,',
        mutated: 'state.lists?.slice(0, 0).map(listToTuple) ?? null,',
      },
    ],
  },
  {
    name: 'an excluded player stays a member',
    changes: [
      {
        file: 'actors/segments/list-condition.ts',
        original: 'for (const id of excludes) exceptions.set(id, false);',
        mutated: '',
      },
    ],
  },
  {
    name: 'a segment is not evaluated again after an event that changes one that it reads',
    changes: [
      {
        file: 'actors/segments/segment-set.ts',
        original: '[id, ...(inner.get(id) ?? [])].flatMap((read)',
        mutated: '[id].flatMap((read)',
      },
    ],
  },
  {
    name: 'a segment reads memberships of before the decision',
    changes: [
      {
        file: 'actors/segments/update-segments.ts',
        original: 'isMember: (id) => decided.get(id) ?? (set',
        mutated: 'isMember: (id) => (set',
      },
    ],
  },
  {
    name: 'a negated share of players includes those without the key',
    changes: [
      {
        file: 'actors/conditions/compile-condition.ts',
        original: 'return every([...needs.slice(before), not(test)]);',
        mutated: 'return every([...needs.slice(before, before), not(test)]);',
      },
    ],
  },
];
