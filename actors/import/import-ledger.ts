import { IMPORT_STATE_LIMITS } from './limits.ts';
import type { Draft } from '../decision/decision.ts';
import { importLedgerIdOf } from '../../core/vocabulary/commands/import.ts';
import type { ImportAdvanced } from '../../core/vocabulary/facts/import-facts.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { ImportedFile } from '../../core/vocabulary/state/state.ts';

/**
 * What a partition remembers of imported files. A ledger holds a few files, those whose ids begin with its digits, and
 * forgets the one that advanced longest ago for a new one. A file that may still be under way is never forgotten: then
 * the new one is refused.
 */

/** The last line of a file that this partition decided; 0: none. */
export function importedTo(draft: Draft, { game, environment }: Scope, importId: string): number {
  const file = filesOf(draft, importLedgerIdOf(game, environment, importId)).find((one) => one.importId === importId);
  return file?.line ?? 0;
}

/** The fact that a file is imported up to a line; `undefined`: no ledger has room for the file. */
export function importAdvance(
  draft: Draft,
  { game, environment, at }: Scope & { at: number },
  importId: string,
  line: number,
): ImportAdvanced | undefined {
  const entityId = importLedgerIdOf(game, environment, importId);
  const files = filesOf(draft, entityId);
  const fact: ImportAdvanced = { kind: 'ImportAdvanced', entityId, game, environment, at, line, importId };
  if (files.length < IMPORT_STATE_LIMITS.importLedgerFiles || files.some((file) => file.importId === importId))
    return fact;
  // Files stand in the order of their last commands.
  const [oldest] = files;
  if (oldest === undefined || oldest.at > at - IMPORT_STATE_LIMITS.importRememberedMs) return undefined;
  return { ...fact, forgets: oldest.importId };
}

function filesOf(draft: Draft, ledgerId: string): readonly ImportedFile[] {
  const ledger = draft.get(ledgerId);
  return ledger?.kind === 'ledger' ? (ledger.imports ?? []) : [];
}
