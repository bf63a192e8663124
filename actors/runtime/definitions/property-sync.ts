import { NO_PROPERTIES } from '../../computed/evolve-properties.ts';
import { fittingProperties } from '../../properties/needed-properties.ts';
import { writeProperty } from '../../computed/property-text.ts';
import {
  propertiesLedgerOf,
  PROPERTIES_LEDGER,
  type ActiveProperties,
} from '../../../core/vocabulary/documents/computed.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { CommitDraft } from '../term/draft.ts';
import { tenantOf } from '../store/player-counts.ts';
import type { Entities } from '../term/entities.ts';
import type { LiveDefinitions } from './live-definitions.ts';

/**
 * Makes a partition count the computed properties that its definitions need, as the owner of one term.
 *
 * Invariants
 * 1. Properties begin and end before the commands of a record: an event that a command tracks under a config revision
 *    is counted by all properties of that revision.
 * 2. An owner whose definitions are older than those that the ledger follows changes nothing.
 * 3. Nothing begins in a ledger whose properties have no `from` yet. So the ledger's sequence is that of the record in
 *    which they began, until `from` is set.
 */
export interface PropertySync {
  /**
   * Emits what has changed. Call it for every commit, before anything else is decided.
   * @param mostBytes bytes of the record up to which another game's change is added; the others follow in the next
   * records. 0: the record may have no change
   * @returns whether anything was emitted
   */
  sync(draft: Pick<CommitDraft, 'get' | 'emit' | 'facts' | 'encodedBytes'>, nowMs: number, mostBytes: number): boolean;
  /** The draft is stored. Without this call the next `sync` repeats. */
  stored(): void;
}

export interface PropertySyncOptions {
  entities: Pick<Entities, 'get' | 'ledgersOf'>;
  definitions: Pick<LiveDefinitions, 'computed' | 'computedScopes' | 'computedVersion' | 'revision'>;
}

type Definers = Pick<LiveDefinitions, 'computed' | 'computedScopes'>;

/**
 * Ids of the properties whose past is not counted yet, by tenant. Those that the definitions need and no record has
 * begun yet are among them: the sweep may report the definitions' revision before that record.
 */
export function unfilledProperties(
  entities: Pick<Entities, 'get' | 'ledgersOf'>,
  definitions: Definers,
): Record<string, readonly string[]> {
  const unfilled: Record<string, readonly string[]> = {};
  for (const [ledgerId, scope] of scopesOf(entities, definitions)) {
    const ledger = entities.get(ledgerId);
    const { list } = ledger?.kind === 'ledger' ? (ledger.properties ?? NO_PROPERTIES) : NO_PROPERTIES;
    const active = new Map(list.map(({ id, filled }) => [id, filled]));
    const needed = fittingProperties(definitions.computed(scope.game, scope.environment), (id) => active.has(id));
    const ids = [...new Set([...active.keys(), ...needed.keys()])].filter((id) => active.get(id) !== true);
    if (ids.length > 0) unfilled[tenantOf(scope)] = ids;
  }
  return unfilled;
}

/** Those with properties now, and those with a ledger, by its id. */
function scopesOf(
  entities: Pick<Entities, 'get' | 'ledgersOf'>,
  definitions: Pick<Definers, 'computedScopes'>,
): ReadonlyMap<string, Scope> {
  const found = new Map<string, Scope>();
  for (const { game, environment } of definitions.computedScopes()) {
    found.set(propertiesLedgerOf(game, environment), { game, environment });
  }
  for (const id of entities.ledgersOf(PROPERTIES_LEDGER)) {
    const ledger = entities.get(id);
    if (ledger !== undefined) found.set(id, ledger);
  }
  return found;
}

export function createPropertySync(options: PropertySyncOptions): PropertySync {
  const { entities, definitions } = options;
  /** The definitions that all ledgers follow; -1: none yet. */
  let done = -1;
  let noted = -1;

  function syncScope(draft: Pick<CommitDraft, 'get' | 'emit'>, { game, environment }: Scope, nowMs: number): boolean {
    const entityId = propertiesLedgerOf(game, environment);
    const ledger = draft.get(entityId);
    const held = ledger?.kind === 'ledger' ? (ledger.properties ?? NO_PROPERTIES) : NO_PROPERTIES;
    const { revision } = definitions;
    const base = { kind: 'PropertiesChanged', entityId, game, environment, at: nowMs } as const;
    if (held.list.some(({ from }) => from === 0)) {
      const from = ledger?.lastSeq ?? 0;
      draft.emit({ ...base, revision: held.revision, began: [], ended: [], from, filled: [] });
      return false;
    }
    if (held.revision > revision) return true;
    const { began, ended } = difference(held, { game, environment });
    if (began.length === 0 && ended.length === 0) return true;
    draft.emit({ ...base, revision, began, ended, from: 0, filled: [] });
    return began.length === 0;
  }

  function difference({ list }: ActiveProperties, { game, environment }: Scope) {
    const active = new Set(list.map(({ id }) => id));
    const needed = fittingProperties(definitions.computed(game, environment), (id) => active.has(id));
    return {
      began: [...needed].flatMap(([id, spec]) => (active.has(id) ? [] : [{ id, spec: writeProperty(spec) }])),
      ended: [...active].filter((id) => !needed.has(id)),
    };
  }

  return {
    sync(draft, nowMs, mostBytes) {
      // What an earlier draft emitted was not stored.
      noted = -1;
      if (mostBytes === 0 || done === definitions.computedVersion) return false;
      let isDone = true;
      for (const scope of scopesOf(entities, definitions).values()) {
        const isFull = draft.encodedBytes() >= mostBytes;
        if (isFull || !syncScope(draft, scope, nowMs)) isDone = false;
        if (isFull) break;
      }
      const isChanged = draft.facts.length > 0;
      if (isDone && isChanged) noted = definitions.computedVersion;
      else if (isDone) done = definitions.computedVersion;
      return isChanged;
    },
    stored() {
      if (noted !== -1) done = noted;
    },
  };
}
