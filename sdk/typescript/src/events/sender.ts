import { readInit, readRegistration } from '../flags/answers.ts';
import { createBackoff } from '../wire/backoff.ts';
import { within } from '../platform-guards.ts';
import { withClosed, withOpened, withRecorded } from './saved-state.ts';
import { ADOPT_MS, MOST_EVENTS, SAVE_MS, type Sender, type SenderOptions } from './sender-types.ts';
import { entriesAtFault, settle, type Settlement } from '../wire/settle.ts';
import { initStep, nextStep, registerStep, settledEnds, type Step, type StepContext, syncStep } from '../wire/steps.ts';
import { KEEPALIVE_BYTES, type Outcome } from '../wire/transport.ts';

/*
 * Sends the queue of a player: one request at a time, in order, until the service has acknowledged everything.
 *
 * States: waiting (for the interval, enough events, or the end of a backoff) or sending (one loop).
 *
 * Invariants
 * 1. At most one request is under way. A request without an answer is repeated unchanged, with its Idempotency-Key, so
 *    the service answers it once.
 * 2. An entry leaves the queue only when an answer to its request says so.
 * 3. What is sent has been written to storage before, or storage failed; except when the page hides.
 */
export function createSender(options: SenderOptions): Sender {
  const { queue, transport, clock, platform, newId, play, onProblem } = options;
  const backoff = createBackoff(platform.random);
  const runSinceMs = clock.rawMs();
  let isStopped = false;
  let isHidden = false;
  let isRegistered = false;
  let isDue = true;
  let isUrgent = false;
  // A session that goes on has flags of an earlier run.
  let isSyncDue = play.saved.session?.id !== undefined;
  let mostEvents = MOST_EVENTS;
  let pending: { step: Step; firstSentMs: number; isConfirmed: boolean } | undefined;
  let sending: Promise<void> | undefined;
  let isRunning = false;
  let isUnderWay = false;
  let runs = 0;
  let reads = 0;
  let cancelTimer: (() => void) | undefined;
  let hasAdopted = false;
  let firstAdoption: Promise<void> | undefined;
  let lastSyncMs = platform.steadyMs();
  let hasFreshToken = false;

  function context(): StepContext | undefined {
    const saved = play.saved;
    const own = play.own;
    const { playerId, session: { own: played, id } = {} } = saved;
    if (playerId === undefined) return undefined;
    return {
      playerId,
      state: saved,
      current: own !== undefined && played === own && id !== undefined ? { own, id } : undefined,
      runSinceMs,
      offsetMs: clock.offsetMs() ?? 0,
      mostEvents,
      mostBytes: KEEPALIVE_BYTES,
      newKey: newId,
    };
  }

  function next(): Step | undefined {
    const its = context();
    if (its === undefined || (options.registersAlways && !isRegistered)) return registerStep(options.registration);
    const own = play.own;
    if (own !== undefined && its.current === undefined) return initStep(own, its.playerId, options.initFields ?? {});
    if (!hasAdopted) return undefined;
    const settled = settledEnds(queue.entries(), its);
    if (settled.length > 0) queue.remove(new Set(settled.map(({ id }) => id)));
    return (
      nextStep(queue.entries(), its) ??
      (isSyncDue && !isHidden && its.current !== undefined ? syncStep([], [], its.current.id, its) : undefined)
    );
  }

  function flush(urgent: boolean): Promise<void> {
    if (isStopped) return Promise.resolve();
    const waits = !isRunning && !backoff.allows(platform.steadyMs(), urgent);
    const wasDue = isDue;
    isDue = true;
    if (waits) {
      // Also a timer that fired too early has to be set again.
      if (cancelTimer === undefined || !wasDue) schedule();
      return Promise.resolve();
    }
    isUrgent ||= urgent;
    return isRunning ? (sending ?? Promise.resolve()) : launch();
  }

  /** A run of a hidden page may be over before it returns. */
  function launch(): Promise<void> {
    isRunning = true;
    runs += 1;
    sending = undefined;
    const run = sendDue(runs);
    if (isRunning) sending = run;
    return run;
  }

  async function sendDue(ownRun: number): Promise<void> {
    unschedule();
    let isFirst = true;
    while (isDue) {
      // The request of a hiding page has to leave in this turn: there may be no other.
      if (!isHidden) await prepare(isFirst);
      if (isStopped || runs !== ownRun) return;
      isFirst = false;
      if (!backoff.allows(platform.steadyMs(), isUrgent)) break;
      const step = pending?.step ?? next();
      if (step === undefined && !hasAdopted && !isHidden) {
        await firstAdoption;
        continue;
      }
      if (step === undefined) {
        isDue = false;
        break;
      }
      // A change that the stream reports from now on may not be in its answer.
      if (pending === undefined && (step.kind === 'init' || step.kind === 'sync')) isSyncDue = false;
      pending ??= { step, firstSentMs: clock.rawMs(), isConfirmed: false };
      queue.pin(new Set([...step.events, ...step.states].map(({ id }) => id)));
      isUnderWay = true;
      const outcome = await transport.send(step.request, isHidden);
      isUnderWay = false;
      if (isStopped) return;
      const goesOn = conclude(step, outcome);
      if (pending === undefined) queue.pin(new Set());
      if (!goesOn) break;
    }
    // In the same turn as the last look for work.
    isUrgent = false;
    isRunning = false;
    sending = undefined;
    schedule();
  }

  function prepare(isFirst: boolean): Promise<void> {
    if (!isFirst) return within(queue.saved(), SAVE_MS, platform);
    const adoption = Promise.all([queue.adopt(() => (reads += 1)).then(() => queue.saved()), options.flagsFollowed]);
    firstAdoption ??= adopted(adoption);
    return within(adoption, SAVE_MS, platform);
  }

  async function adopted(adoption: Promise<unknown>): Promise<void> {
    for (let before = -1; before !== reads; await within(adoption, ADOPT_MS, platform)) before = reads;
    hasAdopted = true;
  }

  /** Takes in an outcome. Whether to go on with the next request. */
  function conclude(step: Step, outcome: Outcome): boolean {
    const nowMs = platform.steadyMs();
    switch (outcome.kind) {
      case 'aborted':
        return false;
      case 'limited':
        onProblem({ kind: 'rate-limit', message: '429' });
        backoff.limited(nowMs, outcome.retryAfterMs);
        return false;
      case 'failed':
        onProblem({ kind: outcome.reason, message: outcome.message });
        backoff.failed(nowMs, outcome.retryAfterMs);
        return false;
      case 'refused':
        return refused(step, outcome, nowMs);
      case 'answered':
        hasFreshToken = false;
        if (accept(step, outcome)) return true;
        onProblem({ kind: 'bad-answer', message: `${step.request.path}: wrong answer.` });
        backoff.failed(nowMs);
        return false;
    }
  }

  /** Whether the answer is one to this step. */
  function accept(step: Step, { data, replayed, sentMs, receivedMs }: Extract<Outcome, { kind: 'answered' }>): boolean {
    switch (step.kind) {
      case 'register': {
        const registered = readRegistration(data, options.registration.external_id);
        if (registered === undefined) return false;
        isRegistered = true;
        backoff.succeeded();
        play.set({ ...play.saved, playerId: registered.playerId });
        break;
      }
      case 'init': {
        const opened = readInit(data, play.saved.playerId ?? '');
        if (opened === undefined) return false;
        backoff.succeeded();
        // A replayed answer carries the time of the first attempt.
        clock.correct(opened.serverMs, replayed ? (pending?.firstSentMs ?? sentMs) : (sentMs + receivedMs) / 2);
        const { sessionId, flags, segments } = opened;
        play.set({ ...withOpened(play.saved, step.session, sessionId), flags, segments });
        lastSyncMs = platform.steadyMs();
        options.onOpened?.(opened);
        break;
      }
      case 'sync':
      case 'batch':
      case 'end':
      case 'record': {
        const settlement = settle(step, data);
        if (settlement === undefined) return false;
        if (!settlement.hasUnavailable && !settlement.isPlayerUnknown) backoff.succeeded();
        // Fewer than were sent: repeats, or an answer to another request. The same request again tells them apart.
        if (settlement.unnamed > 0 && pending !== undefined && !pending.isConfirmed) {
          pending.isConfirmed = true;
          return true;
        }
        apply(step, settlement);
      }
    }
    pending = undefined;
    return true;
  }

  function apply(step: Step, settlement: Settlement): void {
    const { done, rejected, quarantined, hasUnavailable, isPlayerUnknown, synced } = settlement;
    queue.remove(new Set(done));
    mostEvents = Math.min(mostEvents * 2, MOST_EVENTS);
    for (const { event, message } of rejected) options.onDropped(event, 'rejected', message);
    for (const { name, id } of quarantined) {
      onProblem({ kind: 'quarantined', message: `${name} (${id}) is faulty.` });
    }
    if (isPlayerUnknown) forgetPlayer();
    if (hasUnavailable || isPlayerUnknown) {
      // Also a flush of the game waits: otherwise the same request would follow at once, again and again.
      isUrgent = false;
      backoff.failed(platform.steadyMs());
    }
    if (step.kind === 'end') over(step.session);
    if (step.kind === 'record') play.set(withRecorded(play.saved, step.session));
    if (synced !== undefined) {
      lastSyncMs = platform.steadyMs();
      options.onSynced?.(synced.flags, synced.interventions);
    }
  }

  /** A session that a killed run had ended may be the one that this run continued: the game plays another one. */
  function over(id: string): void {
    const isCurrent = play.saved.session?.id === id;
    play.set(withClosed(play.saved, id));
    if (isCurrent) options.onSessionGone?.();
  }

  function refused(step: Step, refusal: Extract<Outcome, { kind: 'refused' }>, nowMs: number): boolean {
    const { status, code, message, details, requestId } = refusal;
    const isAboutBody = status === 413 || status === 400 || status === 422;
    const isAboutKey = status === 401 || status === 403;
    const settlement = step.kind === 'batch' ? settle(step, details) : undefined;
    if (settlement !== undefined) {
      pending = undefined;
      apply(step, settlement);
      return true;
    }
    if (code === 'SESSION_NOT_FOUND' && step.session !== '') {
      pending = undefined;
      over(step.session);
      return true;
    }
    if (isAboutBody && divide(step, status, message, details)) return true;
    if (isAboutKey && !hasFreshToken && transport.refreshToken()) {
      hasFreshToken = true;
      return true;
    }
    hasFreshToken = false;
    onProblem({
      kind: isAboutKey ? 'unauthorized' : 'refused',
      message: `${step.request.path}: ${status} ${code}: ${message}`,
      requestId,
    });
    if (code === 'PLAYER_NOT_FOUND') forgetPlayer();
    if (code === 'PLAYER_NOT_FOUND' || code === 'CONFLICT') {
      // A new request gets a new Idempotency-Key: with the old one a conflict would last.
      pending = undefined;
      backoff.failed(nowMs);
    } else backoff.refused(nowMs);
    return false;
  }

  /** A request that the service cannot take: half of it is sent next, or what is at fault is dropped. */
  function divide(step: Step, status: number, message: string, details: unknown): boolean {
    const faulty = entriesAtFault(step, details);
    if (faulty === undefined) return false;
    if (faulty === 'some') mostEvents = Math.max(1, Math.floor(step.events.length / 2));
    else queue.remove(new Set(faulty.map(({ id }) => id)));
    for (const entry of faulty === 'some' ? [] : faulty) {
      if (entry.kind === 'event') options.onDropped(entry, status === 413 ? 'too-large' : 'rejected', message);
      else onProblem({ kind: 'refused', message: `${entry.kind} dropped: ${message}` });
    }
    if (step.kind === 'record') play.set(withRecorded(play.saved, step.session));
    pending = undefined;
    return true;
  }

  function forgetPlayer(): void {
    const { playerId: _, session: __, ...rest } = play.saved;
    isRegistered = false;
    play.set(rest);
    options.onSessionGone?.();
  }

  function schedule(): void {
    unschedule();
    if (isStopped) return;
    const nowMs = platform.steadyMs();
    const syncAtMs = lastSyncMs + options.syncIntervalMs;
    const atMs = isDue ? Math.max(backoff.untilMs, nowMs) : Math.max(syncAtMs, backoff.untilMs);
    cancelTimer = platform.setTimer(
      () => {
        cancelTimer = undefined;
        if (platform.steadyMs() >= syncAtMs) {
          lastSyncMs = platform.steadyMs();
          isSyncDue = true;
        }
        void flush(false);
      },
      Math.ceil(Math.max(atMs - nowMs, 0)),
    );
  }

  function unschedule(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    flush,
    reached() {
      if (!backoff.allows(platform.steadyMs(), false)) void flush(true);
    },
    refresh() {
      isSyncDue = true;
      void flush(false);
    },
    hide(hidden) {
      isHidden = hidden;
      // A run that waits for storage is overtaken.
      if (hidden && isRunning && !isUnderWay) void launch();
      else void flush(false);
    },
    stop() {
      isStopped = true;
      unschedule();
      transport.abort();
    },
  };
}
