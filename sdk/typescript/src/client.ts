import { readFlags, type FlagState, type Intervention } from './answers.ts';
import { createDeviceClock } from './device-clock.ts';
import { type Entry, type EventEntry, isOwnSession, ownSessionId } from './entries.ts';
import { createEventQueue } from './event-queue.ts';
import type { ShutdownReport, UntypedGame } from './game-types.ts';
import { changedFlags, createInterventions, createListeners, guarded } from './listeners.ts';
import { DEFAULTS, type GameOptions, requestFields, requireTexts } from './options.ts';
import type { Platform, TabChannel } from './platform.ts';
import { droppedEvent, type DropReason, type Problem, unsentEvents } from './problems.ts';
import { loadState, noState, type SavedState, stateOf, withoutSession } from './saved-state.ts';
import { createSender, type Sender } from './sender.ts';
import { storageNames } from './storage-names.ts';
import { documentJson, nameFault } from './tracked.ts';
import { createTransport } from './transport.ts';
import { guardedStorage, randomText, within } from './platform-guards.ts';

/*
 * The game client: what the game calls, and the wiring of queue, sender and storage.
 *
 * States: starting (storage is being read), denied (no consent: nothing is kept or sent), following (another tab
 * sends), sending, shut down. Methods never throw and never wait for the network.
 */
export function startGame(options: GameOptions, platform: Platform): UntypedGame {
  const settings = { ...DEFAULTS, ...options };
  requireTexts(options);
  const { baseUrl, key, player, consent = 'given' } = settings;
  const names = storageNames(baseUrl, key, player);
  const clock = createDeviceClock(platform);
  const run = randomText(platform, 12);
  let counter = 0;
  const newId = () => `${run}-${(counter += 1).toString(36)}`;

  const onProblem = (problem: Problem) => {
    try {
      settings.onProblem?.(problem);
    } catch {
      // There is nobody left to report to.
    }
  };
  const storageFault = (message: string, cause?: unknown) => onProblem({ kind: 'storage', message, cause });
  const storage = guardedStorage(platform.storage, (error) =>
    storageFault(`Storage failed; events stay in memory: ${String(error)}`, error),
  );
  const flagListeners = createListeners<[string, FlagState | undefined]>(onProblem);
  const interventions = createInterventions(onProblem);

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
    onDropped: (entry) => entry.kind === 'event' && drop(entry, 'queue-full', 'The queue is full.'),
    onUnreadable: (name) => storageFault(`The stored chunk ${name} is not readable; it is deleted.`),
  });
  const transport = createTransport({
    baseUrl,
    key,
    timeoutMs: settings.timeoutMs,
    platform,
    rawMs: () => clock.rawMs(),
    onServerTime: (serverMs, rawMs) => clock.compare(serverMs, rawMs),
    ...(settings.playerToken === undefined ? {} : { playerToken: settings.playerToken }),
  });

  function drop(entry: EventEntry, reason: DropReason, message: string): void {
    guarded(() => settings.onDropped?.(droppedEvent(entry, reason, message)), onProblem);
  }

  // Writes of the state follow each other, so that an older one never wins.
  let stateWritten: Promise<void> = storageAllowed;
  function setState(state: SavedState, isOwn = true): void {
    const changed = changedFlags(saved.flags, state.flags);
    saved = state;
    for (const [flagKey, flag] of changed) flagListeners.emit(flagKey, flag);
    if (!isOwn) return;
    const text = JSON.stringify(state);
    stateWritten = stateWritten.then(() => (isAllowed ? storage.setItem(names.state, text) : undefined)).catch(ignored);
    channel?.post({ kind: 'state', text });
  }

  function beginSession(): string {
    ownSinceMs = clock.rawMs();
    return (own = ownSessionId(newId()));
  }

  /** The session of a new entry: the service's id as soon as it is known. */
  function sessionNow(): string {
    const current = own ?? beginSession();
    const { session } = saved;
    return session !== undefined && (isFollowing || session.own === current) ? session.id : current;
  }

  function add(entry: Entry): void {
    queue.add(entry);
    if (queue.size < settings.flushAt && queue.bytes < settings.flushAtBytes) return;
    if (sender === undefined) void askToSend();
    else void sender.flush(false);
  }

  async function askToSend(): Promise<void> {
    await queue.saved();
    channel?.post({ kind: 'flush' });
  }

  function becomeSender(held: boolean): void {
    sender?.stop();
    sender = undefined;
    if (!held || isOver || !isAllowed) {
      if (!isOver) queue.yield();
      isFollowing = isAllowed && !isOver;
      return;
    }
    // The session of the tab that sent before goes on.
    if (isFollowing && saved.session !== undefined) own = saved.session.own;
    isFollowing = false;
    sender = createSender({
      queue,
      transport,
      clock,
      platform,
      newId,
      syncIntervalMs: settings.syncIntervalMs,
      ...requestFields(settings),
      state: { get: () => saved, set: setState },
      ownSession: () => own,
      onSessionGone: () => void (own !== undefined && beginSession()),
      onOpened: () => isReady(),
      onSynced,
      onDropped: drop,
      onProblem,
    });
    sender.hide(isHidden);
    void sender.flush(false).then(isReady);
  }

  function onSynced(flags: Readonly<Record<string, FlagState>>, offered: readonly Intervention[]): void {
    if (Object.keys(flags).length > 0) setState({ ...saved, flags: Object.assign(readFlags(saved.flags), flags) });
    interventions.offer(offered);
  }

  function received(message: unknown): void {
    const { kind, text } = Object(message);
    if (kind === 'state' && typeof text === 'string' && sender === undefined && isAllowed) {
      isFollowing = true;
      queue.yield();
      setState(stateOf(text), false);
      isReady();
    } else if (kind === 'hello') {
      if (sender !== undefined) channel?.post({ kind: 'state', text: JSON.stringify(saved) });
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
    await within(
      loadState(storage, names.state)
        .then((found) => void (state = found))
        .catch(ignored),
      STORAGE_MS,
      platform,
    );
    if (isOver || !isAllowed) return;
    if (saved.playerId === undefined) setState(withoutSession(state), false);
    channel?.post({ kind: 'hello' });
    guarded(() => (releaseLock ??= platform.lock(names.lock, becomeSender)), onProblem);
  }

  async function changeConsent(isGiven: boolean, isOwn: boolean): Promise<void> {
    if (isOver || isGiven === isAllowed) return;
    isAllowed = isGiven;
    if (!isGiven) {
      stopSending();
      own = undefined;
      interventions.clear();
      setState(noState(), false);
      isReady();
    }
    if (isOwn) channel?.post({ kind: 'consent', isGiven });
    // A write of the state that began before must not come after the removal.
    await stateWritten;
    if (!isGiven) await queue.clear();
    if (isOwn) await storeConsent(isGiven).catch(ignored);
    if (isGiven && isAllowed) {
      own ??= beginSession();
      await compete();
    }
  }

  /** Withdrawn consent removes everything of this key on the device, of other players too. */
  async function storeConsent(isGiven: boolean): Promise<void> {
    await storage.setItem(names.consent, isGiven ? 'given' : 'denied');
    if (isGiven) return;
    const keys = await storage.getAllKeys();
    for (const each of keys) {
      if (each.startsWith(names.root) && each !== names.consent) await storage.removeItem(each);
    }
  }

  function stopSending(): void {
    sender?.stop();
    sender = undefined;
    isFollowing = false;
    releaseLock?.();
    releaseLock = undefined;
  }

  const stopHidden = platform.onHidden?.((hidden) => {
    isHidden = hidden;
    sender?.hide(hidden);
  });
  const stopOnline = platform.onOnline?.(() => void sender?.flush(true));
  // Storage that hangs keeps nobody waiting.
  const cancelReady = platform.setTimer(() => isReady(), READY_MS);
  void ready.then(cancelReady);
  const started = start();

  function endSession(): void {
    if (own === undefined || !isAllowed) return;
    // Another tab's session goes on.
    if (!isFollowing) {
      const seconds = Math.max(0, Math.round((clock.rawMs() - ownSinceMs) / 1000));
      queue.add({ kind: 'end', id: newId(), session: sessionNow(), seconds, ...clock.now() });
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
      channel?.close();
      await within(Promise.all([queue.saved(), stateWritten]), Math.min(timeoutMs, 1000), platform);
    }
    return { unsent: unsentEvents(queue.entries()) };
  }

  function track(name: unknown, properties?: unknown): boolean {
    if (isOver || !isAllowed) return false;
    const json = documentJson(properties);
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
    if (json.kind === 'json') add({ kind: 'state', id: newId(), session: sessionNow(), attributes: json.text });
    else onProblem({ kind: 'invalid', message: `The attributes were not set. ${json.message}` });
    return json.kind === 'json';
  }

  return {
    ready,
    track,
    setState: setAttributes,
    flag(flagKey, fallback) {
      const flag = saved.flags[flagKey];
      return (typeof fallback === 'boolean' ? flag?.enabled : flag?.variant) ?? fallback;
    },
    expose: (flagKey) => track('flag_exposed', { flag_key: flagKey }),
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
    onFlagChange: (listener) => flagListeners.add(listener),
    onIntervention: (listener) => interventions.add(listener),
    async end() {
      endSession();
      await send();
    },
    flush: send,
    setConsent: (isGiven) => started.then(() => changeConsent(isGiven, true)),
    shutdown,
  };
}

const READY_MS = 5000;
/** Storage that hangs must not keep the game from the service. */
const STORAGE_MS = 2000;

/** Faults of storage have been reported where they happened. */
function ignored(): void {}
