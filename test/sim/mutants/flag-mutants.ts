import type { Mutant } from './mutant.ts';

/** Bugs of flags: what a player is served, and what counts as an exposure. */
export const FLAG_MUTANTS: readonly Mutant[] = [
  {
    name: 'the owner records an exposure that the player already has',
    changes: [
      {
        file: 'actors/flags/exposure/expose.ts',
        original: 'if (!isNewExposure(state, exposure)) return [];',
        mutated: 'void isNewExposure;',
      },
    ],
  },
  {
    name: "a rebuilt state loses the player's exposures",
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'exposures: rest[8].map',
        mutated: 'exposures: rest[8].slice(0, 0).map',
      },
    ],
  },
  {
    name: "an exposure is written only with the owner's next other write",
    changes: [
      {
        file: 'actors/runtime/term/exposures.ts',
        original: 'if (waiting.length > before) onWork();',
        mutated: 'void [before, onWork];',
      },
    ],
  },
  {
    name: 'exposures of boolean flags ignore the value, and compare only the variant',
    changes: [
      {
        file: 'actors/flags/exposure/seen-variant.ts',
        original: `return variantKey ?? (value === 'true' || value === 'false' ? value : null);`,
        mutated: 'return value === undefined ? null : variantKey;',
      },
    ],
  },
  {
    name: 'an event exposes a new evaluation instead of what was served',
    changes: [
      {
        file: 'actors/flags/exposure/expose-tracked.ts',
        original: 'const found = attributed(servedOf(state, flag.key), sighting.variant, flag, draft.limits);',
        mutated: `const kept = servedOf(state, flag.key);
          const again = targeting().flags.get(flag.key)?.evaluate({ player: state, nowMs: context.at }, targeting());
          const found = attributed(kept && again && { ...kept, ...again }, sighting.variant, flag, draft.limits);`,
      },
    ],
  },
  {
    name: 'the owner answers an evaluation before what it serves is stored',
    changes: [
      { file: 'actors/runtime/term/exposures.ts', original: 'return waits;', mutated: 'return waits && false;' },
    ],
  },
  {
    name: 'a rebuilt state loses what flags served the player',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'servedFlags: rest[9].map',
        mutated: 'servedFlags: rest[9].slice(0, 0).map',
      },
    ],
  },
  {
    name: 'the state does not mark a player that was served two variants in a period',
    changes: [
      {
        file: 'actors/flags/evaluate/serve.ts',
        original: 'mixed: (isSame && kept.mixed) || isSecond || isBeside,',
        mutated: 'mixed: isSame && kept.mixed && isSecond,',
      },
    ],
  },
  {
    name: 'no edit of a flag begins a new period',
    changes: [
      {
        file: 'actors/flags/periods.ts',
        original: "editEffect !== 'reassigns'",
        mutated: "String(editEffect) !== 'moved'",
      },
    ],
  },
  {
    name: 'a boolean flag draws for players whom none of its rules includes',
    changes: [
      {
        file: 'actors/flags/draw/strata.ts',
        original: 'if (each.buckets <= covered || !isFor(each)) continue;',
        mutated: 'if (each.buckets <= covered) continue;',
      },
    ],
  },
  {
    name: 'weights of a rule are drawn as those of the flag',
    changes: [
      {
        file: 'actors/flags/draw/offers.ts',
        original: "if ('weights' in serve) return weighted(flag, serve.weights, bucketing);",
        mutated: "if ('weights' in serve) return weighted(flag, flag.variants, bucketing);",
      },
    ],
  },
  {
    name: 'a rule includes players without the attribute that it puts players into buckets by',
    changes: [
      {
        file: 'actors/flags/evaluate/compile-rule.ts',
        original: 'passes: (subject) => (bucketOf(subject) ?? BUCKETS) < buckets',
        mutated: 'passes: (subject) => (bucketOf(subject) ?? 0) < buckets',
      },
      {
        file: 'actors/flags/evaluate/compile-rule.ts',
        original: 'passes: (subject) => keyOf(subject) !== undefined',
        mutated: 'passes: (subject) => keyOf(subject) !== null',
      },
    ],
  },
  {
    name: 'an exposure of a player who was not eligible hides the one when it is',
    changes: [
      {
        file: 'actors/flags/exposure/expose.ts',
        original: '(seen.drawn || stratum === undefined)',
        mutated: '(seen.drawn || stratum !== -1)',
      },
    ],
  },
  {
    name: 'evaluation ignores overrides',
    changes: [
      {
        file: 'actors/flags/evaluate/flag-steps.ts',
        original: 'return override === undefined ? undefined : overridden(override);',
        mutated: 'return override === undefined ? undefined : undefined;',
      },
    ],
  },
  {
    name: 'an override does not replace an earlier one',
    changes: [
      {
        file: 'actors/flags/evaluate/override.ts',
        original: 'if ((current?.value ?? null) === value) return { facts: [], reply };',
        mutated: 'if (current !== undefined || value === null) return { facts: [], reply };',
      },
    ],
  },
];
