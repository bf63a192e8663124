import { readFlags, type FlagState, type Intervention } from './answers.ts';
import { createDrops } from './callbacks.ts';
import { createDeviceClock } from './device-clock.ts';
import { type Entry, type EventEntry, isOwnSession, ownSessionId } from './entries.ts';
import { createEventQueue } from './event-queue.ts';
import { followFlags } from './flag-changes.ts';
import { createExposures, flagFault, servedOr, shownVariant } from './flag-values.ts';
import type { ShutdownReport, UntypedGame } from './game-types.ts';
import { changedFlags, createFreshness, createInterventions, createListeners, guarded } from './listeners.ts';
import { DEFAULTS, type GameOptions, requestFields, requireTexts } from './options.ts';
import type { Platform, TabChannel } from './platform.ts';
import { droppedEvent, type DropReason, unsentEvents } from './problems.ts';
import { createLeavers } from './leavers.ts';
import { atStart, noState, type SavedState, stateOf } from './saved-state.ts';
import { createReports } from './reports.ts';
import { createSender, type Sender } from './sender.ts';
import { createSpill } from './spill.ts';
import { storageNames, storeConsent } from './storage-names.ts';
import { documentJson, lostMembers, nameFault } from './tracked.ts';
import { createTransport } from './transport.ts';
import { guardedStorage, ignored, randomText, within } from './platform-guards.ts';
import { textOf } from './text-of.ts';

/*
 * The game client: what the game calls, and the wiring of queue, sender and storage.
 *
 * States: starting (storage is being read), denied (no consent: nothing is kept or sent), following (another tab
 * sends), sending, shut down. Methods never throw and never wait for the network.
 */
export function startGame(options: GameOptions, platform: Platform): UntypedGame {
  requireTexts(options);
  const settings = { ...DEFAULTS, ...options, baseUrl: options.baseUrl.replace(/\/$/, '') };
  const { baseUrl, key, player, consent = 'given' } = settings;
  const names = storageNames(baseUrl, key, player);
  const fields = requestFields(settings);
  const sessionFields = JSON.stringify(fields.initFields);
  const clock = createDeviceClock(platform);
  const run = randomText(platform, 12);
  let counter = 0;
  const newId = () => `${run}-${(counter += 1).toString(36)}`;

  const { report: onProblem, advise, debug } = createReports(settings, platform);
  const drops = createDrops(settings.onDropped, onProblem);
  const storageFault = (message: string, cause?: unknown) => onProblem({ kind: 'storage', message, cause });
  const storage = guardedStorage(platform.storage, (error) => storageFault(textOf(error), error));
  const flagListeners = createListeners<[string, FlagState | undefined]>(onProblem);
  const interventions = createInterventions(onProblem);
  const freshness = createFreshness(onProblem);
  const exposures = createExposures();

  let saved: SavedState = noState();
  let own: string | undefined = ownSessionId(newId());
  let ownSinceMs = clock.rawMs();
  let isAllowed = consent === 'given';
  let isStarted = false;
  let isOver = false;
  let isFollowing = false;
  let sender: Sender | undefined;
  let channel: TabChannel | undefined;
  let releaseLock: (() => void) | undefined;
  let isHidden = false;
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  let allowStorage = () => {};
  const storageAllowed = new Promise<void>((resolve) => (allowStorage = resolve));

  const queue = createEventQueue({
    storage,
    prefix: names.queue,
    tab: run,
    isAllowed: storageAllowed,
    wallMs: () => clock.rawMs(),
    maxEntries: settings.maxQueued,
    maxBytes: settings.maxQueuedBytes,
    onDropped: (entry) => entry.kind === 'event' && drop(entry, 'queue-full', 'Full.'),
    onUnreadable: (name) => storageFault(`Unreadable: ${name}`),
  });
  const onIgnored = (ignored: string) => advise(`The service ignored ${ignored}: client keys may not set it.`);
  const newTransport = () => createTransport({ ...settings, platform, clock, onIgnored, debug });
  const transport = newTransport();
  const spill = createSpill(platform.quick, names, consent);
  // The token of this player is none of another one's.
  const leavers = settings.playerToken
    ? undefined
    : createLeavers({
        clock,
        names,
        newId,
        onProblem,
        tab: run,
        maxEntries: settings.maxQueued,
        maxBytes: settings.maxQueuedBytes,
        platform: { ...platform, storage },
        transport: newTransport,
        onDropped: (...dropped) => drop(...dropped),
      });
  const changes = settings.flagStream
    ? followFlags(
        platform,
        baseUrl,
        key,
        () => sender?.refresh(),
        () => sender?.reached(),
      )
    : undefined;

  const drop = (entry: EventEntry, reason: DropReason, message: string) => {
    if (entry.name === EXPOSED) exposures.forget();
    debug(`dropped ${entry.name} (${reason}): ${message}`);
    if (settings.onDropped === undefined) advise(`Events are dropped (${reason}): ${message} See onDropped.`);
    drops.report(droppedEvent(entry, reason, message));
  };

  /** Sends a message to the other tabs. A channel that the browser has closed throws. */
  const post = (message: unknown) => guarded(() => channel?.post(message), onProblem);

  // Writes of the state follow each other, so that an older one never wins.
  let stateWritten: Promise<void> = storageAllowed;
  function setState(state: SavedState, isOwn = true): void {
    const changed = changedFlags(saved.flags, state.flags);
    saved = state;
    for (const [flagKey, flag] of changed) flagListeners.emit(flagKey, flag);
    if (!isOwn) return;
    const text = JSON.stringify(state);
    stateWritten = stateWritten.then(() => (isAllowed ? storage.setItem(names.state, text) : undefined)).catch(ignored);
    post({ kind: 'state', text });
  }

  function beginSession(): string {
    ownSinceMs = clock.rawMs();
    own = ownSessionId(newId());
    if (sender !== undefined) keepSession();
    return own;
  }

  /** Stores the session that is played, so that a start soon after goes on with it. */
  function keepSession(): void {
    if (own === undefined || saved.session?.own === own) return;
    const session = { own, sinceMs: ownSinceMs, activeMs: clock.rawMs(), fields: sessionFields };
    // The events of a player who has to prove its identity are sent by its own client only.
    setState({ ...saved, session, ...(leavers && { registration: fields.registration }) });
  }

  function stillPlayed(): void {
    const { session } = saved;
    const activeMs = clock.rawMs();
    if (sender === undefined || session === undefined || session.own !== own) return;
    if (activeMs - session.activeMs < ACTIVE_MS) return;
    setState({ ...saved, session: { ...session, activeMs } });
  }

  /** The session of a new entry: the service's id as soon as it is known. */
  function sessionNow(): string {
    const current = own ?? beginSession();
    const { session } = saved;
    return session?.id !== undefined && (isFollowing || session.own === current) ? session.id : current;
  }

  function add(entry: Entry): void {
    queue.add(entry);
    debug(`${entry.kind} ${entry.kind === 'event' ? entry.name : ''}`);
    stillPlayed();
    if (queue.size < settings.flushAt && queue.bytes < settings.flushAtBytes) return;
    if (sender === undefined) void askToSend();
    else void sender.flush(false);
  }

  async function askToSend(): Promise<void> {
    await queue.saved();
    post({ kind: 'flush' });
  }

  function becomeSender(held: boolean): void {
    sender?.stop();
    sender = undefined;
    follow();
    if (!held || isOver || !isAllowed) {
      if (!isOver) queue.yield();
      isFollowing = isAllowed && !isOver;
      return;
    }
    // The session of the tab that sent before, or of the page before, goes on.
    if (own !== undefined && saved.session !== undefined) {
      queue.rename(own, saved.session.own);
      own = saved.session.own;
      ownSinceMs = saved.session.sinceMs;
    }
    isFollowing = false;
    sender = createSender({
      queue,
      transport,
      clock,
      platform,
      newId,
      syncIntervalMs: settings.syncIntervalMs,
      ...fields,
      state: { get: () => saved, set: setState },
      ownSession: () => own,
      onSessionGone: () => void (own !== undefined && beginSession()),
      flagsFollowed: changes && within(changes.opened, FOLLOW_MS, platform),
      onOpened() {
        isReady();
        answered();
      },
      onSynced,
      onDropped: drop,
      onProblem(problem) {
        if (problem.kind === 'network' || problem.kind === 'service') freshness.set(false);
        onProblem(problem);
      },
    });
    keepSession();
    follow();
    sender.hide(isHidden);
    void sender.flush(false).then(isReady);
  }

  /** The session goes on by an answer of the service. */
  function answered(): void {
    freshness.set(true);
    stillPlayed();
    void sender?.flush(false).then(() => leavers?.send());
  }

  function onSynced(flags: Readonly<Record<string, FlagState>>, offered: readonly Intervention[]): void {
    if (Object.keys(flags).length > 0) setState({ ...saved, flags: Object.assign(readFlags(saved.flags), flags) });
    interventions.offer(offered);
    answered();
  }

  /** The stream is open while this tab sends and shows. */
  function follow(): void {
    if (sender === undefined || isHidden) changes?.close();
    else changes?.open();
  }

  function received(message: unknown): void {
    const { kind, text } = Object(message);
    if (kind === 'state' && typeof text === 'string' && sender === undefined && isAllowed) {
      isFollowing = true;
      queue.yield();
      setState(stateOf(text), false);
      if (saved.session?.id === undefined) return; // The sender has not reached the service.
      isReady();
      freshness.set(true);
    } else if (kind === 'hello') {
      if (sender !== undefined) post({ kind: 'state', text: JSON.stringify(saved) });
    } else if (kind === 'flush') {
      void sender?.flush(false);
    } else if (kind === 'consent') {
      void changeConsent(Object(message).isGiven === true, false);
    }
  }

  /** Reads the stored consent and state, then competes for the right to send. */
  async function start(): Promise<void> {
    const read = storage.getItem(names.consent).then((stored) => {
      if (stored !== 'given' && stored !== 'denied') return;
      spill.decide(stored === 'given');
      // Storage that answers too late for the start still decides.
      if (isStarted) return changeConsent(stored === 'given', false);
      isAllowed = stored === 'given';
    });
    await within(read.catch(ignored), STORAGE_MS, platform);
    isStarted = true;
    if (!isAllowed) void queue.clear();
    allowStorage();
    guarded(() => (channel = platform.channel?.(names.tabs, received)), onProblem);
    if (isAllowed) await compete();
    else isReady();
  }

  async function compete(): Promise<void> {
    let state = noState();
    const read = storage.getItem(names.state).then((text) => void (state = stateOf(text)));
    await within(read.catch(ignored), STORAGE_MS, platform);
    if (isOver || !isAllowed) return;
    if (saved.playerId === undefined) setState(atStart(state, sessionFields, clock.rawMs()), false);
    await spill.restore(storage, saved.session?.own ?? own).catch(ignored);
    post({ kind: 'hello' });
    guarded(() => (releaseLock ??= platform.lock(names.lock, becomeSender)), onProblem);
  }

  async function changeConsent(isGiven: boolean, isOwn: boolean): Promise<void> {
    if (isOver || isGiven === isAllowed) return;
    isAllowed = isGiven;
    if (!isGiven) {
      stopSending();
      own = undefined;
      leavers?.stop();
      interventions.clear();
      exposures.forget();
      setState(noState(), false);
      isReady();
    }
    if (isOwn) post({ kind: 'consent', isGiven });
    // A write of the state that began before must not come after the removal.
    await stateWritten;
    if (!isGiven) await queue.clear();
    if (isOwn) {
      spill.decide(isGiven);
      await storeConsent(storage, names, isGiven).catch(ignored);
    }
    if (isGiven && isAllowed) {
      own ??= beginSession();
      await compete();
    }
  }

  function stopSending(): void {
    sender?.stop();
    sender = undefined;
    follow();
    isFollowing = false;
    guarded(() => releaseLock?.(), onProblem);
    releaseLock = undefined;
  }

  const stopHidden = platform.onHidden?.((hidden) => {
    isHidden = hidden;
    sender?.hide(hidden);
    if (hidden && isStarted) queue.saveNow();
    else if (hidden) spill.keep(queue.entries());
    follow();
  });
  const stopOnline = platform.onOnline?.(() => void sender?.flush(true));
  const cancelReady = platform.setTimer(() => isReady(), READY_MS);
  void ready.then(cancelReady);
  const started = start();

  function endSession(): void {
    if (own === undefined || !isAllowed) return;
    // Another tab's session goes on.
    if (!isFollowing) {
      const { session: _, ...rest } = saved;
      const seconds = Math.max(0, Math.round((clock.rawMs() - ownSinceMs) / 1000));
      queue.add({ kind: 'end', id: newId(), session: sessionNow(), seconds, ...clock.now() });
      if (sender !== undefined) setState(rest);
    }
    own = undefined;
  }

  async function send(): Promise<void> {
    await started;
    if (sender !== undefined) return sender.flush(true);
    return askToSend();
  }

  async function shutdown(timeoutMs = 5000): Promise<ShutdownReport> {
    if (!isOver) {
      endSession();
      isOver = true;
      stopHidden?.();
      stopOnline?.();
      await within(send(), timeoutMs, platform);
      stopSending();
      leavers?.stop();
      guarded(() => channel?.close(), onProblem);
      await within(Promise.all([queue.saved(), stateWritten]), Math.min(timeoutMs, 1000), platform);
    }
    return { unsent: unsentEvents(queue.entries()) };
  }

  function track(name: unknown, properties?: unknown): boolean {
    if (isOver || !isAllowed || !drops.mayTrack) return false;
    const json = documentJson(properties);
    if (name === 'purchase') advise(PURCHASE);
    const fault = nameFault(name) ?? (json.kind === 'json' ? undefined : json.message);
    const event = { kind: 'event', id: newId(), name: String(name), ...clock.now() } as const;
    if (json.kind === 'json' && fault === undefined) {
      add({ ...event, session: sessionNow(), properties: json.text });
      return true;
    }
    const reason = json.kind === 'too-large' ? json.kind : 'invalid';
    drop({ ...event, session: '', properties: '' }, reason, fault ?? '');
    return false;
  }

  function setAttributes(attributes: unknown): boolean {
    if (isOver || !isAllowed) return false;
    const json = documentJson(attributes ?? null);
    for (const member of lostMembers(attributes)) advise(`Attribute "${member}" has no form in JSON and is left out.`);
    if (json.kind === 'json') add({ kind: 'state', id: newId(), session: sessionNow(), attributes: json.text });
    else onProblem({ kind: 'invalid', message: `Attributes: ${json.message}` });
    return json.kind === 'json';
  }

  function expose(flagKey: string): boolean {
    const flag = saved.flags[flagKey];
    if (!exposures.isNew(flagKey, flag)) return !isOver && isAllowed;
    const isTracked = track(EXPOSED, { flag_key: flagKey, variant_key: shownVariant(flag) });
    if (isTracked) exposures.add(flagKey, flag);
    return isTracked;
  }

  return {
    ready,
    track,
    setState: setAttributes,
    flag(flagKey, fallback) {
      const fault = freshness.isFresh ? flagFault(flagKey, fallback, saved.flags[flagKey]) : undefined;
      if (fault !== undefined) advise(fault);
      return servedOr(fallback, saved.flags[flagKey]);
    },
    expose,
    get flags() {
      return saved.flags;
    },
    get segments() {
      return saved.segments;
    },
    get playerId() {
      return saved.playerId;
    },
    get sessionId() {
      const id = own === undefined ? undefined : sessionNow();
      return id === undefined || isOwnSession(id) ? undefined : id;
    },
    nowMs: () => clock.now().atMs,
    get isFresh() {
      return freshness.isFresh;
    },
    onFresh: (listener) => freshness.add(listener),
    onFlagChange: (listener) => flagListeners.add(listener),
    onIntervention: (listener) => interventions.add(listener),
    end() {
      endSession();
      return send();
    },
    flush: send,
    setConsent: (isGiven) => started.then(() => changeConsent(isGiven, true)),
    shutdown,
  };
}

const EXPOSED = 'flag_exposed';
const PURCHASE = 'An event named purchase counts no revenue: POST /v1/players/players/{id}/purchase does.';
/** How exactly the time is stored at which a session was last known to go on. */
const ACTIVE_MS = 60_000;
/** Storage that hangs must not delay the game. */
const READY_MS = 5000;
/** The start of a session waits so long for the stream of changed flags. */
const FOLLOW_MS = 500;
/** Nor must it keep the game from the service. */
const STORAGE_MS = 2000;
