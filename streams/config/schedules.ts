import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { TargetingKind } from '../../core/vocabulary/documents/document-kinds.ts';
import { type ScheduledChange, type ScheduleDocument, scheduleKey } from '../../core/vocabulary/schedules.ts';
import { CONFIG_LIMITS } from './limits.ts';
import type { ConfigStore } from './config-store.ts';

/* Scheduled changes in CONFIG: one document for each definition that has some. */

export interface DefinitionAddress extends DocumentAddress {
  kind: TargetingKind;
}

export function scheduleAddress({ game, environment, kind, key }: DefinitionAddress): DocumentAddress<'schedule'> {
  return { game, environment, kind: 'schedule', key: scheduleKey(kind, key) };
}

type Store = Pick<ConfigStore, 'get' | 'put' | 'seen' | 'revision'>;

/**
 * Changes a schedule, again if it was changed concurrently.
 * @param change undefined: it stays as it is
 */
export async function updateSchedule(
  store: Store,
  address: DocumentAddress<'schedule'>,
  change: (held: ScheduleDocument) => ScheduleDocument | undefined,
): Promise<'changed' | 'unchanged' | 'unavailable'> {
  for (let attempt = 0; attempt < CONFIG_LIMITS.scheduleWriteAttempts; attempt += 1) {
    const held = store.get(address);
    const next = held && change(held.document);
    if (held === undefined || next === undefined) return 'unchanged';
    const written = await store.put(address, { ...next, version: held.document.version + 1 }, held.revision);
    if (written.kind === 'written') return 'changed';
    if (written.kind === 'unavailable') return 'unavailable';
    await store.seen(store.revision + 1, CONFIG_LIMITS.configWaitMs);
  }
  return 'unavailable';
}

/**
 * Stops the steps of roll-outs of a definition that wait; other scheduled changes stay. What is served does not change.
 * Guards call it when players are harmed.
 */
export function holdSchedule(
  store: Store,
  definition: DefinitionAddress,
  why: string,
  nowMs: number,
): Promise<'changed' | 'unchanged' | 'unavailable'> {
  return updateSchedule(store, scheduleAddress(definition), (held) => {
    if (!held.changes.some(isHeldBack)) return undefined;
    const changes = held.changes.map((each) => (isHeldBack(each) ? ended(each, 'held', why, nowMs) : each));
    return { ...held, changes, updatedAt: nowMs };
  });
}

const isHeldBack = ({ state, does, claim }: ScheduledChange): boolean =>
  state === 'pending' && does.kind === 'step' && claim === undefined;

/** A change that is over. Its patch is in the history if it was made. */
export function ended(
  held: ScheduledChange,
  state: Exclude<ScheduledChange['state'], 'pending'>,
  why: string,
  at: number,
  version: number | null = null,
): ScheduledChange {
  const { claim: _, ...change } = held;
  const does = change.does.kind === 'patch' ? { ...change.does, patch: {} } : change.does;
  return { ...change, does, state, ended: { at, version, why } };
}
