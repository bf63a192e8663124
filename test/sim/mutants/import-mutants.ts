import type { Mutant } from './mutant.ts';

/** Bugs of imports: each line counts once, none is skipped, and what follows from history is known in time. */
export const IMPORT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a command of an import is decided before the one that it follows',
    changes: [
      {
        file: 'actors/import/import-history.ts',
        original: 'if (body.after > before) return reply;',
        mutated: 'if (body.after > before + 1_000) return reply;',
      },
    ],
  },
  {
    name: 'a line of an import that is sent again counts again',
    changes: [
      {
        file: 'actors/import/import-history.ts',
        original: 'const fresh = linesAfter(history, before);',
        mutated: 'const fresh = linesAfter(history, 0);',
      },
    ],
  },
  {
    name: 'imported sessions do not move the next change of the churn risk',
    changes: [
      {
        file: 'actors/import/import-history.ts',
        original: 'if (isNew || hasPlayed || hasMoved ||',
        mutated: 'if (isNew || (hasPlayed && hasMoved) || hasMoved ||',
      },
    ],
  },
  {
    name: 'a rebuilt state loses how far files are imported',
    changes: [
      {
        file: 'core/codec/state/other-states-layout.ts',
        original: 'imports?.map(',
        mutated: 'imports?.slice(0, 0).map(',
      },
    ],
  },
];
