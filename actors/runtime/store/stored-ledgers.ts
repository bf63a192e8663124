import { LEDGER_PREFIX } from '../../../core/vocabulary/commands/commands.ts';
import type { PartitionStore } from './store.ts';

/** The ids of the ledgers in a store. They follow each other in the order of its keys. */
export function* storedLedgers(store: PartitionStore): Iterable<string> {
  let after = LEDGER_PREFIX;
  for (;;) {
    const ids = store.idsAfter(after, LEDGERS_AT_ONCE);
    for (const entityId of ids) {
      if (!entityId.startsWith(LEDGER_PREFIX)) return;
      yield entityId;
      after = entityId;
    }
    if (ids.length < LEDGERS_AT_ONCE) return;
  }
}

/** In one page. */
const LEDGERS_AT_ONCE = 1_000;
