import type { Mutant } from './mutants.ts';

/** Bugs of flags: what a player is served, and what counts as seen. */
export const FLAG_MUTANTS: readonly Mutant[] = [
  {
    name: 'an exposure noted without looking what was seen before',
    changes: [
      {
        file: 'actors/flags/expose.ts',
        original: 'return isNews(state, exposure) ? [exposedFact(state, exposure, context)] : [];',
        mutated: 'return [exposedFact(state, exposure, context)];',
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
        original: 'if ((held?.value ?? null) === value) return { facts: [], reply };',
        mutated: 'if (held !== undefined || value === null) return { facts: [], reply };',
      },
    ],
  },
];
