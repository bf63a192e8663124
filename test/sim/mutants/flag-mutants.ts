import type { Mutant } from './mutant.ts';

/** Bugs of flags: what a player is served, and what counts as seen. */
export const FLAG_MUTANTS: readonly Mutant[] = [
  {
    name: 'an exposure noted without looking what was seen before',
    changes: [
      {
        file: 'actors/flags/expose.ts',
        original: 'if (!isNewExposure(state, exposure)) return [];',
        mutated: 'void isNewExposure;',
      },
    ],
  },
  {
    name: 'exposures that a rebuilt state forgets',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'exposures: (tuple[26] ?? [])',
        mutated: 'exposures: (tuple[26]?.slice(0, 0) ?? [])',
      },
    ],
  },
  {
    name: 'an exposure that waits for some other write',
    changes: [
      {
        file: 'actors/runtime/exposures.ts',
        original: 'if (waiting.length > before) onWork();',
        mutated: 'void [before, onWork];',
      },
    ],
  },
  {
    name: 'exposures of a boolean flag told apart by variant only',
    changes: [
      {
        file: 'actors/flags/seen-variant.ts',
        original: `return variantKey ?? (value === 'true' || value === 'false' ? value : null);`,
        mutated: 'return value === undefined ? null : variantKey;',
      },
    ],
  },
  {
    name: 'an exposure computed again when its event comes',
    changes: [
      {
        file: 'actors/flags/expose-tracked.ts',
        original: 'const found = attributed(servedOf(state, flag.key), sighting.variant, flag, draft.limits);',
        mutated: `const kept = servedOf(state, flag.key);
          const again = targeting().flags.get(flag.key)?.evaluate({ player: state, nowMs: context.at }, targeting());
          const found = attributed(kept && again && { ...kept, ...again }, sighting.variant, flag, draft.limits);`,
      },
    ],
  },
  {
    name: 'an evaluation answered before what it serves is stored',
    changes: [{ file: 'actors/runtime/exposures.ts', original: 'return waits;', mutated: 'return waits && false;' }],
  },
  {
    name: 'what was served, forgotten by a rebuilt state',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'servedFlags: (tuple[37] ?? [])',
        mutated: 'servedFlags: (tuple[37]?.slice(0, 0) ?? [])',
      },
    ],
  },
  {
    name: 'a second variant served without a mark',
    changes: [
      {
        file: 'actors/flags/serve.ts',
        original: 'mixed: (isSamePeriod && kept.mixed) || (variant !== null && inPeriod),',
        mutated: 'mixed: isSamePeriod && kept.mixed && variant !== null && inPeriod,',
      },
    ],
  },
  {
    name: 'a period that no edit ends',
    changes: [
      {
        file: 'actors/flags/periods.ts',
        original: 'isDeepStrictEqual(assignment(previous), assignment(next))',
        mutated: 'assignment(previous) !== assignment(next)',
      },
    ],
  },
  {
    name: 'an override that evaluation overlooks',
    changes: [
      {
        file: 'actors/flags/compile-flag.ts',
        original: 'return override === undefined ? byRules(subject) : overridden(override);',
        mutated: 'return override === undefined ? byRules(subject) : byRules(subject);',
      },
    ],
  },
  {
    name: 'an override that replaces no other',
    changes: [
      {
        file: 'actors/flags/override.ts',
        original: 'if ((current?.value ?? null) === value) return { facts: [], reply };',
        mutated: 'if (current !== undefined || value === null) return { facts: [], reply };',
      },
    ],
  },
];
