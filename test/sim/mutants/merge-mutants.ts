import type { Mutant } from './mutant.ts';

const simulation = 'merges';

/** Bugs of merges. */
export const MERGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an account absorbs a guest again when the command is repeated',
    simulation,
    changes: [
      {
        file: 'actors/merge/account-steps.ts',
        original: "if (hasAbsorbed(player, mergeId)) return unchanged({ kind: 'absorbed', playerId, mergeId });",
        mutated: '',
      },
    ],
  },
  {
    name: 'an account absorbs a guest whose merge was taken back',
    simulation,
    changes: [
      {
        file: 'actors/merge/evolve-merge.ts',
        original: 'const refused = withRefused(state.refused, fact.mergeId);',
        mutated: 'const refused = withRefused(state.refused);',
      },
    ],
  },
  {
    name: 'the owner of a merged guest tracks its events',
    simulation,
    changes: [
      {
        file: 'actors/events/track.ts',
        original: "if (moved !== undefined) return { ...resultOf(item, context, 'moved'), moved };",
        mutated: "if (moved !== undefined) return resultOf(item, context, 'accepted');",
      },
    ],
  },
  {
    name: 'a guest is a player again although its account has not released it',
    simulation,
    changes: [
      {
        file: 'src/gateway/merges/merge-saga.ts',
        original: "if (released.kind === 'failure') {",
        mutated: "if (released.kind === 'failure' && released.code === 'CONFLICT') {",
      },
    ],
  },
  {
    name: 'a variant that both were exposed to is forgotten by the merge',
    simulation,
    changes: [
      {
        file: 'actors/merge/state/flags.ts',
        original: 'exposures: both(guest.exposures, account.exposures, exposureName)',
        mutated: 'exposures: both([], account.exposures, exposureName)',
      },
    ],
  },
  {
    name: 'the ids of a guest’s events are forgotten by the merge',
    simulation,
    changes: [
      {
        file: 'actors/events/united-events.ts',
        original: '...guest.recentEvents.filter((event) => !known.has(nameOf(event))),',
        mutated: '...guest.recentEvents.filter(() => known.size < 0),',
      },
    ],
  },
  {
    name: 'a purchase that both recorded counts twice',
    simulation,
    changes: [
      {
        file: 'actors/merge/state/purchases.ts',
        original: '.filter(({ digest, uncounted }) => known.has(digest) && uncounted !== true)',
        mutated: '.filter(({ digest, uncounted }) => known.has(digest) && uncounted === true)',
      },
    ],
  },
  {
    name: 'what two guests brought goes with the first of them that is taken back',
    simulation,
    changes: [
      {
        file: 'actors/merge/state/guests.ts',
        original: 'takeBack.kept.filter((name) => leaving.delete(name))',
        mutated: "takeBack.kept.filter((name) => name === '' && leaving.delete(name))",
      },
    ],
  },
  {
    name: 'an open session of a guest ends with the merge',
    simulation,
    changes: [
      {
        file: 'actors/merge/state/united.ts',
        original: 'const sessions = both(guest.sessions, account.sessions, ({ sessionId }) => sessionId);',
        mutated: 'const sessions = both([], account.sessions, ({ sessionId }) => sessionId);\n  void guest;',
      },
    ],
  },
  {
    name: 'merges in a circle wait for each other',
    simulation,
    changes: [
      {
        file: 'src/gateway/merges/merge-saga.ts',
        original: 'if (circle.every((id) => merging.playerId <= id)) {',
        mutated: 'if (circle.every((id) => merging.playerId < id)) {',
      },
    ],
  },
];
