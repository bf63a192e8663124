import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { propertiesLedgerOf, type PropertyFilled } from '../../../core/vocabulary/documents/computed.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { triggerCampaigns } from '../../campaigns/trigger-campaigns.ts';
import { metered, stepsSpent } from '../../conditions/steps.ts';
import type { Draft } from '../../decision/decision.ts';
import type { Definitions } from '../../decision/definitions.ts';
import { updateSegments } from '../../segments/update-segments.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { CommitDraft } from '../term/draft.ts';
import type { FillProperty, PlayerPast } from './fill-player.ts';

/** The past of a player, or the end of a fill, that waits for a record. */
export type Filling = FillingPlayer | FillingEnd;

interface FillingPlayer extends Pick<PlayerPast, 'playerId' | 'bornSeq'> {
  kind: 'player';
  facts: readonly PropertyFilled[];
}

interface FillingEnd {
  kind: 'filled';
  ledgerId: string;
  properties: readonly FillProperty[];
}

/** What a fill has read and no record holds yet, in order. */
export interface FillQueue {
  add(next: Filling): void;
  /** Resolves once fewer than this many wait, or when the queue is stopped. */
  untilBelow(most: number): Promise<void>;
  /** Resolves once records hold all of it, or when the queue is stopped. */
  untilStored(): Promise<void>;
  /** Emits into a draft, until it has `mostBytes`. */
  take(draft: CommitDraft, definitions: Definitions, nowMs: number, mostBytes: number): void;
  /** The record with what was taken is stored. Without this call it is taken again. */
  stored(): void;
  stop(): void;
}

export interface FillQueueOptions {
  /** Whether work in bulk rests; `onWork` follows its end. Default: never. */
  rests?: () => boolean;
  /** Called when there is something to take. */
  onWork: () => void;
  /** Called when a property's past is counted. */
  onFilled: () => void;
  limits?: Adjustable<typeof OWNER_LIMITS, 'fillPlayers'> | undefined;
}

/** Steps of the segments of filled players in one record, and those of one player more. */
const MOST_STEPS = OWNER_LIMITS.turnSteps / 4;

export function createFillQueue(options: FillQueueOptions): FillQueue {
  const { onWork, onFilled, limits = OWNER_LIMITS } = options;
  const drained = createSignal();
  let waiting: Filling[] = [];
  let taken: Filling[] = [];
  let stopped = false;
  const isRunning = (): boolean => !stopped;

  return {
    add(next) {
      waiting.push(next);
      onWork();
    },
    async untilBelow(most) {
      while (waiting.length >= most && isRunning()) await drained.wait();
    },
    async untilStored() {
      while (waiting.length + taken.length > 0 && isRunning()) await drained.wait();
    },
    take(draft, definitions, nowMs, mostBytes) {
      // What an earlier draft took was not stored.
      waiting = [...taken, ...waiting];
      taken = [];
      if (waiting.length > 0 && options.rests?.() === true) return;
      const before = draft.facts.length;
      const began = stepsSpent();
      for (const next of waiting.slice(0, limits.fillPlayers)) {
        if (draft.encodedBytes() >= mostBytes || stepsSpent() - began > MOST_STEPS) break;
        draft.inBulk(() => emit(draft, next, definitions, nowMs));
        taken.push(next);
      }
      if (taken.length === 0) return;
      waiting = waiting.slice(taken.length);
      if (draft.facts.length > before) return;
      // Nothing to store: the players are gone.
      taken = [];
      drained.notify();
      if (waiting.length > 0) onWork();
    },
    stored() {
      if (taken.length === 0) return;
      if (taken.some(({ kind }) => kind === 'filled')) onFilled();
      taken = [];
      drained.notify();
    },
    stop() {
      stopped = true;
      drained.notify();
    },
  };
}

function emit(draft: Draft, next: Filling, definitions: Definitions, nowMs: number): void {
  if (next.kind === 'filled') emitFilled(draft, next, nowMs);
  else emitPlayer(draft, next, definitions, nowMs);
}

function emitPlayer(draft: Draft, next: FillingPlayer, definitions: Definitions, nowMs: number): void {
  const { playerId, bornSeq, facts } = next;
  const state = draft.get(playerId);
  // A life that began meanwhile has no past.
  if (state?.kind !== 'player' || (state.bornSeq ?? 0) !== bornSeq) return;
  const { game, environment } = state;
  const isActive = activeIn(draft.get(propertiesLedgerOf(game, environment)));
  for (const fact of facts) if (isActive(fact)) draft.emit(fact);
  const after = draft.get(playerId);
  if (after?.kind !== 'player') return;
  const atMs = Math.max(nowMs, after.lastSeenAt);
  metered(() => {
    const since = draft.facts.length;
    const set = definitions.segments(game, environment);
    for (const fact of updateSegments(after, set, 'all', atMs, draft.limits)) draft.emit(fact);
    const context = { game, environment, at: atMs };
    triggerCampaigns(draft, since, definitions.campaigns(game, environment), context);
  });
}

function emitFilled(draft: Draft, { ledgerId, properties }: FillingEnd, at: number): void {
  const ledger = draft.get(ledgerId);
  if (ledger?.kind !== 'ledger') return;
  const { game, environment, properties: active } = ledger;
  // Until `from` is known, the ledger's sequence must not change. The fill then begins anew.
  if (active === undefined || active.list.some(({ from }) => from === 0)) return;
  const filled = properties.filter(activeIn(ledger)).map(({ id }) => id);
  const base = { kind: 'PropertiesChanged', entityId: ledgerId, game, environment, at } as const;
  if (filled.length > 0) draft.emit({ ...base, revision: 0, began: [], ended: [], from: 0, filled });
}

/** Whether a property of that generation is still counted. */
function activeIn(ledger: EntityState | undefined): (property: { id: string; generation: number }) => boolean {
  const list = ledger?.kind === 'ledger' ? (ledger.properties?.list ?? []) : [];
  return ({ id, generation }) => list.some((active) => active.id === id && active.generation === generation);
}
