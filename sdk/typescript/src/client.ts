import { readFlags, type FlagState, type Intervention } from './flags/answers.ts';
import { createDeviceClock } from './flags/device-clock.ts';
import { type Entry, isOwnSession } from './events/entries.ts';
import { createEventQueue } from './events/event-queue.ts';
import { followFlags } from './flags/flag-changes.ts';
import { flagFault, servedOr } from './flags/flag-values.ts';
import type { ShutdownReport, UntypedGame } from './schema/game-types.ts';
import { createFreshFlags, createInterventions, createListeners, guarded } from './wire/listeners.ts';
import { DEFAULTS, type GameOptions, requestFields, requireTexts } from './options.ts';
import { createLeavers } from './events/leavers.ts';
import type { Platform, TabChannel } from './platform.ts';
import { createPlayedSession } from './played-session.ts';
import { unsentEvents } from './wire/problems.ts';
import { atStart, noState, stateOf } from './events/saved-state.ts';
import { createReports } from './flags/reports.ts';
import { createSender } from './events/sender.ts';
import type { Sender } from './events/sender-types.ts';
import { createSpill } from './events/spill.ts';
import { storageNames, storeConsent } from './events/storage-names.ts';
import { createTracking } from './events/tracking.ts';
import { createTransport } from './wire/transport.ts';
import { guardedStorage, ignored, randomText, within } from './platform-guards.ts';
import { FOLLOW_MS, READY_MS, STORAGE_MS } from './wire/waits.ts';
import { textOf } from './wire/text-of.ts';

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

  const reports = createReports(settings, platform);
  const { onProblem, debug } = reports;
  const storageFault = (message: string, cause?: unknown) => onProblem({ kind: 'storage', message, cause });
  const storage = guardedStorage(platform.storage, (error) => storageFault(textOf(error), error));
  let allowStorage = () => {};
  const storageAllowed = new Promise<void>((resolve) => (allowStorage = resolve));
  const parts = {
    ...settings,
    ...reports,
    platform: { ...platform, storage },
    names,
    clock,
    newId,
    tab: run,
    isAllowed: storageAllowed,
  };
  const flagListeners = createListeners<[string, FlagState | undefined]>(onProblem);
  const interventions = createInterventions(onProblem);
  const freshFlags = createFreshFlags(onProblem);

  let isAllowed = consent === 'given';
  let isStarted = false;
  let isOver = false;
  let isFollowing = false;
  let sender: Sender | undefined;
  let isHidden = false;
  let channel: TabChannel | undefined;
  let releaseLock: (() => void) | undefined;
  /** Sends a message to the other tabs. A channel that the browser has closed throws. */
  const post = (message: unknown) => guarded(() => channel?.post(message), onProblem);
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => (isReady = resolve));

  // A player token proves one identity: such a client sends the events of its own player only.
  const sendsForOthers = settings.playerToken === undefined;
  const play = createPlayedSession({
    ...parts,
    fields: sessionFields,
    registration: sendsForOthers ? fields.registration : undefined,
    role: () => (sender !== undefined ? 'sends' : isFollowing ? 'follows' : undefined),
    onFlagChange: flagListeners.emit,
    write: (text) => (isAllowed ? storage.setItem(names.state, text) : undefined),
    onChanged: (text) => post({ kind: 'state', text }),
  });
  const { track, drop, setState, expose, forgetExposures } = createTracking({
    ...parts,
    play,
    isOpen: () => !isOver && isAllowed,
    add,
  });
  const queue = createEventQueue({
    ...parts,
    onDropped: drop,
    onUnreadable: (name) => storageFault(`Unreadable: ${name}`),
  });
  const newTransport = () => createTransport(parts);
  const transport = newTransport();
  const spill = createSpill(platform.quick, names, consent);
  const leavers = sendsForOthers ? createLeavers({ ...parts, newTransport, onDropped: drop }) : undefined;
  const changes = followFlags(parts, () => sender);

  function add(entry: Entry): void {
    queue.add(entry);
    debug(`${entry.kind} ${entry.kind === 'event' ? entry.name : ''}`);
    play.touch();
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
    const { own, saved } = play;
    if (own !== undefined && saved.session !== undefined) {
      queue.rename(own, saved.session.own);
      play.own = saved.session.own;
      play.sinceMs = saved.session.sinceMs;
    }
    isFollowing = false;
    sender = createSender({
      ...parts,
      ...fields,
      queue,
      transport,
      play,
      onSessionGone: () => void (play.own !== undefined && play.begin()),
      flagsFollowed: changes && within(changes.opened, FOLLOW_MS, platform),
      onOpened() {
        isReady();
        answered();
      },
      onSynced,
      onDropped: drop,
      onProblem(problem) {
        if (problem.kind === 'network' || problem.kind === 'service') freshFlags.set(false);
        onProblem(problem);
      },
    });
    play.keep();
    follow();
    sender.hide(isHidden);
    void sender.flush(false).then(isReady);
  }

  /** The session goes on by an answer of the service. */
  function answered(): void {
    freshFlags.set(true);
    play.touch();
    void sender?.flush(false).then(() => leavers?.send());
  }

  function onSynced(flags: Readonly<Record<string, FlagState>>, offered: readonly Intervention[]): void {
    if (Object.keys(flags).length > 0)
      play.set({ ...play.saved, flags: Object.assign(readFlags(play.saved.flags), flags) });
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
      play.set(stateOf(text), false);
      if (play.saved.session?.id === undefined) return; // The sender has not reached the service.
      isReady();
      freshFlags.set(true);
    } else if (kind === 'hello') {
      if (sender !== undefined) post({ kind: 'state', text: JSON.stringify(play.saved) });
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
    if (play.saved.playerId === undefined) play.set(atStart(state, sessionFields, clock.rawMs()), false);
    await spill.restore(storage, play.saved.session?.own ?? play.own).catch(ignored);
    post({ kind: 'hello' });
    guarded(() => (releaseLock ??= platform.lock(names.lock, becomeSender)), onProblem);
  }

  async function changeConsent(isGiven: boolean, isOwn: boolean): Promise<void> {
    if (isOver || isGiven === isAllowed) return;
    isAllowed = isGiven;
    if (!isGiven) {
      stopSending();
      play.own = undefined;
      leavers?.stop();
      interventions.clear();
      forgetExposures();
      play.set(noState(), false);
      isReady();
    }
    if (isOwn) post({ kind: 'consent', isGiven });
    // A write of the state that began before must not come after the removal.
    await play.written;
    if (!isGiven) await queue.clear();
    if (isOwn) {
      spill.decide(isGiven);
      await storeConsent(storage, names, isGiven).catch(ignored);
    }
    if (isGiven && isAllowed) {
      if (play.own === undefined) play.begin();
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
    if (play.own === undefined || !isAllowed) return;
    // Another tab's session goes on.
    if (!isFollowing) {
      const { session: _, ...rest } = play.saved;
      const seconds = Math.max(0, Math.round((clock.rawMs() - play.sinceMs) / 1000));
      queue.add({ kind: 'end', id: newId(), session: play.current(), seconds, ...clock.now() });
      if (sender !== undefined) play.set(rest);
    }
    play.own = undefined;
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
      await within(Promise.all([queue.saved(), play.written]), Math.min(timeoutMs, 1000), platform);
    }
    return { unsent: unsentEvents(queue.entries()) };
  }

  return {
    ready,
    track,
    setState,
    flag(flagKey, fallback) {
      const fault = freshFlags.isFresh ? flagFault(flagKey, fallback, play.saved.flags[flagKey]) : undefined;
      if (fault !== undefined) reports.advise(fault);
      return servedOr(fallback, play.saved.flags[flagKey]);
    },
    expose,
    get flags() {
      return play.saved.flags;
    },
    get segments() {
      return play.saved.segments;
    },
    get playerId() {
      return play.saved.playerId;
    },
    get sessionId() {
      const id = play.own === undefined ? undefined : play.current();
      return id === undefined || isOwnSession(id) ? undefined : id;
    },
    nowMs: () => clock.now().atMs,
    get isFresh() {
      return freshFlags.isFresh;
    },
    onFresh: (listener) => freshFlags.add(listener),
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
