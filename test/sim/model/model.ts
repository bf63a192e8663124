import { NEW_CONTEXT } from '../../../core/vocabulary/facts/event-context.ts';
import type {
  Command,
  ErasePlayer,
  GetPlayer,
  RegisterPlayer,
  TrackItem,
} from '../../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Reply, TrackResult } from '../../../core/vocabulary/commands/replies.ts';
import type { EntityState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import { ERRORS } from '../../../core/kernel/errors.ts';
import { predictCampaigns } from './model-campaigns.ts';
import { countedNow, lives } from './players/model-computed.ts';
import { type ModelDefinitions, NO_DEFINITIONS } from './model-definitions.ts';
import { afterFact, type Lived, NO_ACTIVITY } from './players/model-lifecycle.ts';
import { withReaders } from './model-nesting.ts';
import { countedOnce, type ModelSegment, predictSegments, readersOf, type SegmentUpdate } from './model-segments.ts';
import { predictListing } from './players/model-lists.ts';
import { predictCall } from './model-calls.ts';
import { predictImport } from './players/model-import.ts';
import { isOneCaller, recall, remember } from './model-keys.ts';
import { modelDeviceOf, predictPurchase, predictRefund, predictSession } from './players/model-play.ts';
import { afterRelease, predictQuarantine, predictRelease, quarantineOfNewLife } from './players/model-quarantine.ts';
import { simulated } from './simulated.ts';
import { predictTesters } from './players/model-testers.ts';
import { predictOverride } from './flags/model-flags.ts';
import { predictSighting } from './flags/model-served.ts';
import { countryIn, merged, newPlayer, newState, viewOf } from './model-state.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { RecentEvent } from '../../../core/vocabulary/state/player.ts';
import type { EventSender } from '../../../core/vocabulary/facts/event-tracked.ts';

/**
 * The documented behaviour as a sequential model: the effects of one command on a partition that processes one command
 * at a time and never fails. Written from the API documentation and the decisions. It shares only the vocabulary with
 * the service, not the domain's decide and evolve.
 */
export interface Prediction {
  facts: DomainFact[];
  reply: Reply;
  /** The changed entities, in their final state. */
  next: Map<string, EntityState>;
  /** The segment evaluations, player by player, each as of its place in `facts`. */
  updates: SegmentUpdate[];
}

export type View = (entityId: string) => EntityState | undefined;

/** Predicts a command and its immediate consequences for the players that it changes. */
export function predict(view: View, command: Command, definitions: ModelDefinitions = NO_DEFINITIONS): Prediction {
  const run: Prediction = { facts: [], reply: { kind: 'claimed' }, next: new Map(), updates: [] };
  let from = 0;
  const react = (): void => {
    reactFrom(run, from, definitions, command.receivedAt);
    from = run.facts.length;
  };
  const { reply } = predictCommand(run, view, command, definitions, react);
  react();
  return { ...run, reply };
}

/** Predicts what the facts from `from` on mean for the stages, risks, segments and campaigns of their players. */
function reactFrom(run: Prediction, from: number, definitions: ModelDefinitions, at: number): void {
  const { segments } = definitions;
  updateLifecycles(run, from, at);
  if (segments.length > 0) updateSegments(run, from, segments, at);
  const changed = (id: string): PlayerState | undefined => {
    const state = run.next.get(id);
    return state?.kind === 'player' ? state : undefined;
  };
  const { facts, next } = predictCampaigns(run.facts.slice(from), changed, definitions, at);
  run.facts.push(...facts);
  for (const [id, state] of next) run.next.set(id, state);
}

function updateSegments(run: Prediction, from: number, segments: readonly ModelSegment[], at: number): void {
  const wanted = new Map<string, ModelSegment[] | 'all'>();
  for (const fact of run.facts.slice(from)) {
    const earlier = wanted.get(fact.entityId) ?? [];
    if (NO_SEGMENTS.has(fact.kind)) wanted.set(fact.entityId, earlier);
    else if (fact.kind === 'PlayerListed' && earlier !== 'all') {
      const listed = segments.filter(({ id }) => id === fact.segmentId);
      const either = new Set([...earlier, ...listed].map(({ id }) => id));
      wanted.set(fact.entityId, withReaders(segments, either));
    } else if (fact.kind !== 'EventTracked' || earlier === 'all') wanted.set(fact.entityId, 'all');
    else {
      const either = new Set([...earlier, ...readersOf(segments, fact.eventName)]);
      wanted.set(
        fact.entityId,
        segments.filter((segment) => either.has(segment)),
      );
    }
  }
  for (const [entityId, which] of wanted) {
    const state = run.next.get(entityId);
    if (state?.kind !== 'player') continue;
    // An evaluation that was due has already happened with the earlier facts.
    if (which.length === 0 && run.updates.some(({ next }) => next.id === entityId)) continue;
    const update = predictSegments(state, segments, which, at);
    run.updates.push(update);
    run.facts.push(...update.facts);
    run.next.set(entityId, update.next);
  }
}

/** Facts that no segment condition reads. */
const NO_SEGMENTS: ReadonlySet<DomainFact['kind']> = new Set([
  'IdempotencyKeyUsed',
  'EventQuarantined',
  'FlagOverridden',
  'FlagsServed',
  'FlagExposed',
  'GuardrailTripped',
  'ChurnRiskChanged',
  'LifecycleScheduled',
  'SessionSynced',
  'SessionFlagsTold',
  'InterventionTriggered',
  'InterventionSuppressed',
  'InterventionOffered',
  'InterventionShown',
  'InterventionClicked',
  'InterventionDismissed',
  // An import has evaluated its players already.
  'PlayerImported',
  'EventsImported',
  'SessionImported',
  'PurchaseImported',
  'RefundImported',
  'HistoryImported',
  'ImportAdvanced',
  'TestPlayersCounted',
  'SegmentEntered',
  'SegmentExited',
]);

/** Predicts what a command's facts mean for the stages and risks of its players. */
function updateLifecycles(run: Prediction, from: number, at: number): void {
  for (const fact of run.facts.slice(from)) {
    const state = run.next.get(fact.entityId);
    if (state?.kind === 'player') take(run, afterFact(state, fact, at));
  }
}

const emitter = (run: Prediction) => (fact: DomainFact, next: EntityState) => {
  run.facts.push(fact);
  run.next.set(next.id, next);
};

const evaluator = (run: Prediction) => (update: SegmentUpdate) => {
  run.updates.push(update);
  run.facts.push(...update.facts);
  run.next.set(update.next.id, update.next);
};

function take(run: Prediction, { facts, next }: Lived): void {
  run.facts.push(...facts);
  if (facts.length > 0) run.next.set(next.id, next);
}

function predictCommand(
  run: Prediction,
  view: View,
  command: Command,
  definitions: ModelDefinitions,
  react: () => void,
): Pick<Prediction, 'reply'> {
  const { game, environment, receivedAt: at, by } = command;
  const whose = by === undefined ? {} : { by };
  const body = simulated(command.body);
  const current: View = (id) => run.next.get(id) ?? view(id);
  const scope = { game, environment };
  if (body.kind === 'ImportHistory') {
    const { segments, sequence } = definitions;
    const importing = { view: current, emit: emitter(run), evaluated: evaluator(run), segments, sequence };
    return { reply: predictImport(body, importing, scope, at) };
  }
  if (body.kind === 'ListPlayers') {
    const player = (id: string) => playerOf(current(id), scope);
    const keep = (state: PlayerState) => void run.next.set(state.id, state);
    const { facts, reply } = predictListing(body, definitions.segments, player, keep, scope, at);
    run.facts.push(...facts);
    return { reply };
  }
  const isOfLedger = body.kind === 'ClaimIdempotencyKey' || body.kind === 'ReportGuardrail';
  const holderId = isOfLedger
    ? body.ledgerId
    : body.kind === 'TrackEvents'
      ? (body.ledgerId ?? body.items[0]?.playerId ?? '')
      : body.playerId;
  // A ledger stores a batch's claim and its reply separately; a player's keys share one namespace.
  const slot = isOfLedger ? 'claimed' : holderId.startsWith('ledger:') ? 'tracked' : undefined;
  const earlier = body.idempotency && recall(inScope(current(holderId), scope), body.idempotency, at, slot, by);
  if (earlier !== undefined) return { reply: earlier };

  switch (body.kind) {
    case 'RegisterPlayer': {
      const failure = register(run, current, body, scope, at, definitions);
      if (failure !== undefined) return failure;
      break;
    }
    case 'PatchPlayer': {
      const held = playerOf(current(body.playerId), scope);
      if (held === undefined) return failed('PLAYER_NOT_FOUND');
      const isMarked = body.isTestPlayer ?? held.isTestPlayer;
      const testers = predictTesters(current, scope, Number(isMarked) - Number(held.isTestPlayer), at);
      if (testers === 'full') return failed('CONFLICT');
      change(run, held, scope, at, body);
      testers?.(emitter(run));
      break;
    }
    case 'ErasePlayer': {
      const failure = erase(run, current, body, scope, at);
      if (failure !== undefined) return failure;
      break;
    }
    case 'TrackEvents': {
      const results = body.items.map((item) => track(run, current, item, scope, at, whose, definitions));
      run.reply = { kind: 'tracked', results };
      // A reply without any effect is not remembered, because a retry may succeed.
      if (results.every(({ status }) => status === 'rejected')) return run;
      break;
    }
    case 'RecordSession':
    case 'RefundPurchase':
    case 'RecordPurchase': {
      const held = playerOf(current(body.playerId), scope);
      if (held === undefined) return failed('PLAYER_NOT_FOUND');
      const { reply, change: recorded } =
        body.kind === 'RecordSession'
          ? predictSession(held, body, scope, at)
          : body.kind === 'RefundPurchase'
            ? predictRefund(held, body, scope, at)
            : predictPurchase(held, body, scope, at, by);
      if (reply.kind === 'failure') return { reply };
      run.reply = reply;
      if (recorded === undefined) break;
      run.facts.push(...recorded.facts);
      run.next.set(held.id, recorded.next);
      if (recorded.event !== undefined) {
        const { sequence } = definitions;
        track(run, current, recorded.event, scope, at, { by: 'service' }, { ...NO_DEFINITIONS, sequence });
      }
      break;
    }
    case 'OverrideFlag': {
      const held = playerOf(current(body.playerId), scope);
      if (held === undefined) return failed('PLAYER_NOT_FOUND');
      const { reply, change: overridden } = predictOverride(held, body, scope, at);
      run.reply = reply;
      if (overridden === undefined) break;
      run.facts.push(overridden.fact);
      run.next.set(held.id, overridden.next);
      break;
    }
    case 'InitSession':
    case 'SyncSession':
    case 'EndSession': {
      const { playerId } = body;
      const player = () => playerOf(current(playerId), scope);
      const reply = predictCall(
        body,
        {
          player,
          take: (called) => take(run, called),
          track: (item) => track(run, current, item, scope, at, whose, definitions).status === 'accepted',
          merge(attributes) {
            const held = player();
            if (held !== undefined) change(run, held, scope, at, { attributes });
          },
          react,
        },
        definitions,
        scope,
        at,
        by,
      );
      if (reply.kind === 'failure') return { reply };
      run.reply = reply;
      break;
    }
    case 'ReportGuardrail':
      run.facts.push({ kind: 'GuardrailTripped', entityId: body.ledgerId, ...scope, at, ...body.found });
      break;
    case 'ClaimIdempotencyKey':
      break;
  }
  if (body.idempotency !== undefined) {
    remember(run, current(holderId), holderId, { ...body.idempotency, ...whose }, scope, at);
  }
  return run;
}

/** @returns the failure, if there is one */
function register(
  run: Prediction,
  current: View,
  body: RegisterPlayer,
  scope: Scope,
  at: number,
  { sequence }: ModelDefinitions,
): Pick<Prediction, 'reply'> | undefined {
  const held = playerOf(current(body.playerId), scope);
  if (held !== undefined && body.createOnly) return failed('DUPLICATE_PLAYER');
  if (held === undefined) {
    const player = newPlayer(body.playerId, body.externalId, at);
    player.deviceId = body.deviceId ?? null;
    player.email = body.email ?? null;
    player.attributes = merged('{}', body.attributes);
    run.facts.push({ kind: 'PlayerRegistered', entityId: body.playerId, ...scope, at, player });
    const tombstone = inScope(current(body.playerId), scope);
    const keys = tombstone?.kind === 'erased' ? tombstone.keys : [];
    const quarantine = quarantineOfNewLife(tombstone?.kind === 'erased' ? tombstone.quarantined : 0);
    const again = tombstone?.kind === 'erased' ? { bornSeq: sequence } : {};
    run.next.set(body.playerId, { ...newState(player, scope, at), keys, quarantine, ...again });
    run.reply = { kind: 'player', player, created: true };
  } else {
    const keepsEmail = body.byClientKey && held.email !== null;
    const keepsDevice = body.byClientKey && held.deviceId !== null;
    change(run, held, scope, at, {
      email: keepsEmail ? undefined : body.email,
      deviceId: keepsDevice ? undefined : body.deviceId,
      attributes: body.attributes,
    });
    if (body.byClientKey && run.reply.kind === 'player') {
      const { id, externalId, lifecycleStage, firstSeenAt, lastSeenAt, deviceId } = run.reply.player;
      const visible = newPlayer(id, externalId, firstSeenAt);
      if (deviceId === body.deviceId) visible.deviceId = deviceId;
      visible.attributes = merged('{}', body.attributes);
      run.reply = { ...run.reply, player: { ...visible, lifecycleStage, lastSeenAt } };
    }
  }
  return undefined;
}

/** @returns the failure, if there is one */
function erase(
  run: Prediction,
  current: View,
  body: ErasePlayer,
  scope: Scope,
  at: number,
): Pick<Prediction, 'reply'> | undefined {
  const { playerId: id } = body;
  const held = inScope(current(id), scope);
  if (held === undefined || held.kind === 'ledger' || held.kind === 'merged') return failed('PLAYER_NOT_FOUND');
  const erasedAt = held.kind === 'erased' ? held.erasedAt : at;
  run.reply = { kind: 'erased', playerId: id, erasedAt };
  if (held.kind === 'erased') return undefined;
  const testers = predictTesters(current, scope, held.isTestPlayer ? -1 : 0, at);
  const quarantined = held.quarantine.last;
  const device = held.deviceId === null ? {} : { deviceId: held.deviceId };
  run.facts.push({ kind: 'PlayerErased', entityId: id, ...scope, at, quarantined, ...device });
  run.next.set(id, { kind: 'erased', id, ...scope, erasedAt, keys: [], quarantined, lastSeq: 0 });
  if (testers !== 'full') testers?.(emitter(run));
  return undefined;
}

/** Predicts the reply to a read. */
export function predictRead(view: View, scope: Scope, query: GetPlayer): Reply {
  const held = playerOf(view(query.playerId), scope);
  if (held === undefined) return { kind: 'failure', code: 'PLAYER_NOT_FOUND' };
  return { kind: 'player', player: viewOf(held), created: false };
}

function inScope(state: EntityState | undefined, scope: Scope): EntityState | undefined {
  return state?.game === scope.game && state.environment === scope.environment ? state : undefined;
}

function playerOf(state: EntityState | undefined, scope: Scope): PlayerState | undefined {
  const found = inScope(state, scope);
  return found?.kind === 'player' ? found : undefined;
}

function failed(code: 'CONFLICT' | 'DUPLICATE_PLAYER' | 'PLAYER_NOT_FOUND'): Pick<Prediction, 'reply'> {
  return { reply: { kind: 'failure', code } };
}

function change(
  run: Prediction,
  held: PlayerState,
  scope: Scope,
  at: number,
  wanted: {
    email?: string | null | undefined;
    deviceId?: string | null | undefined;
    isTestPlayer?: boolean | undefined;
    attributes?: string | undefined;
  },
): void {
  const player = viewOf(held);
  if (wanted.email !== undefined) player.email = wanted.email;
  if (wanted.deviceId !== undefined) player.deviceId = wanted.deviceId;
  player.isTestPlayer = wanted.isTestPlayer ?? held.isTestPlayer;
  player.attributes = merged(held.attributes, wanted.attributes);
  const changed: string[] = [];
  if (player.email !== held.email) changed.push('email');
  if (player.deviceId !== held.deviceId) changed.push('device_id');
  if (player.isTestPlayer !== held.isTestPlayer) changed.push('is_test_player');
  if (player.attributes !== held.attributes) changed.push('attributes');
  run.reply = { kind: 'player', player, created: false };
  if (changed.length === 0) return;
  run.facts.push({ kind: 'PlayerUpdated', entityId: held.id, ...scope, at, changed, player });
  run.next.set(held.id, { ...held, ...player, country: countryIn(player.attributes) });
}

function track(
  run: Prediction,
  view: View,
  item: TrackItem,
  scope: Scope,
  at: number,
  maker: { by?: EventSender },
  { flags, sequence }: Pick<ModelDefinitions, 'flags' | 'sequence'>,
): TrackResult {
  const { index, eventId, playerId, eventName, timestamp } = item;
  const result: TrackResult = { index, eventId, playerId, eventName, timestamp, receivedAt: at, status: 'accepted' };
  const held = playerOf(view(playerId), scope);
  if (held === undefined) {
    const error = { code: 'PLAYER_NOT_FOUND', message: ERRORS.PLAYER_NOT_FOUND.message } as const;
    return { ...result, status: 'rejected', error };
  }
  const { release, quarantine } = item;
  const released = release === undefined ? 'accepted' : predictRelease(held, item, release);
  if (released === 'rejected') {
    const error = { code: 'NOT_FOUND', message: 'The player has no such quarantined event.' } as const;
    return { ...result, status: released, error };
  }
  if (released === 'duplicate') return { ...result, status: released };
  const { by } = maker;
  const isFirst = (event: RecentEvent) => event.eventId === eventId && isOneCaller(event.by, by);
  const first = item.remember ? held.recentEvents.find(isFirst) : undefined;
  if (first !== undefined) {
    const { quarantined, by: _, ...rest } = first;
    if (quarantined === true) return { ...result, ...rest, status: 'quarantined', repeated: true };
    return { ...result, ...rest, status: 'duplicate' };
  }
  const whose = by === undefined || by === 'service' ? {} : { by };
  if (quarantine !== undefined) {
    const { fact, next } = predictQuarantine(held, item, quarantine, scope, at, whose);
    run.facts.push(fact);
    run.next.set(playerId, next);
    return { ...result, status: 'quarantined' };
  }
  const { externalId, lifecycleStage, isPayer, country } = held;
  const { remember, properties, sessionId } = item;
  const device = modelDeviceOf(held, item);
  const player = { ...NEW_CONTEXT, ...device, externalId, lifecycleStage, isPayer, country };
  const event = { eventId, remember, eventName, properties, sessionId, timestamp };
  // A replayed event keeps its original sender.
  const made = release === undefined ? maker : release.by === undefined ? {} : { by: release.by };
  const again =
    release === undefined ? {} : { release: { number: release.number, quarantinedAt: release.quarantinedAt } };
  // The client showed the variant before the event. For a quarantined event it is unknown what was shown before it.
  const exposure = release === undefined ? predictSighting(held, properties, flags, at) : undefined;
  if (exposure !== undefined) run.facts.push(exposure.fact);
  const lived = { sequence, name: eventName, properties, at };
  const { next: counting, updates } = lives(held, lived, countedNow(view, scope));
  const computed = updates.length === 0 ? {} : { computed: updates };
  const tracked = { kind: 'EventTracked', entityId: playerId, ...scope, at, ...event, ...player } as const;
  run.facts.push({ ...tracked, ...again, ...made, ...computed });
  const recent = { eventId, eventName, timestamp, receivedAt: at, ...whose };
  const next = {
    ...counting,
    recentEvents: remember ? [...held.recentEvents, recent] : held.recentEvents,
    counters: countedOnce(held.counters, eventName, at),
    // A refund is no activity, nor is a correction.
    lastSeenAt: NO_ACTIVITY.has(eventName) && by === 'service' ? held.lastSeenAt : Math.max(held.lastSeenAt, at),
    ...(release === undefined ? {} : afterRelease(held, item, release, at)),
  };
  run.next.set(playerId, { ...next, exposures: exposure?.next.exposures ?? held.exposures });
  return result;
}
