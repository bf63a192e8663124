import { startGame } from '../../src/client.ts';
import type { UntypedGame } from '../../src/schema/game-types.ts';
import type { GameOptions } from '../../src/options.ts';
import { type Platform, soleHolder } from '../../src/platform.ts';
import type { DroppedEvent, Problem } from '../../src/wire/problems.ts';
import { type KeyValueStorage, memoryStorage } from '../../src/events/storage.ts';
import { type ModelService, modelService } from './model-service.ts';

/* A device with a fake clock and storage that outlives its clients, and a model of the service. */

export interface World {
  service: ModelService;
  storage: KeyValueStorage;
  /** Replaces storage operations, to make them fail. */
  breakStorage: { fails: (operation: keyof KeyValueStorage, key: string) => boolean };
  dropped: DroppedEvent[];
  problems: Problem[];
  /** The device's clock against the service's, ms. */
  skewMs: number;
  /** Starts a client, as a start of the game does. */
  start(options?: Partial<GameOptions>, platform?: Partial<Platform>): UntypedGame;
  /** Moves the clock, and runs the timers that come due. */
  pass(ms: number): Promise<void>;
  /** Runs what is ready without moving the clock. */
  settle(): Promise<void>;
  /** Timers fire this much too early, as those of some platforms do. */
  earlyMs: number;
  setHidden(hidden: boolean): void;
  setOnline(): void;
  /** Ends a client without a word, as a killed process does. */
  kill(): void;
}

const START_MS = Date.parse('2026-01-15T10:00:00Z');

export function createWorld(): World {
  let nowMs = 0;
  let timers: { atMs: number; callback: () => void }[] = [];
  let hiddenListeners: ((hidden: boolean) => void)[] = [];
  let onlineListeners: (() => void)[] = [];
  let life = 0;
  let seed = 1;
  const items = memoryStorage();
  const service = modelService(() => START_MS + nowMs);

  const world: World = {
    service,
    storage: items,
    breakStorage: { fails: () => false },
    dropped: [],
    problems: [],
    skewMs: 0,
    earlyMs: 0,
    start(options = {}, platform = {}) {
      const ownLife = life;
      const isAlive = () => life === ownLife;
      const checked = async <T>(operation: keyof KeyValueStorage, key: string, run: () => Promise<T>): Promise<T> => {
        if (!isAlive()) return new Promise(() => {});
        if (world.breakStorage.fails(operation, key)) throw new Error('QuotaExceededError');
        return run();
      };
      const device: Platform = {
        wallMs: () => START_MS + nowMs + world.skewMs,
        steadyMs: () => nowMs,
        // The middle of the range, but another text for each client.
        random: () => ((seed = (seed * 48_271) % 2_147_483_647) % 1000) / 1000,
        setTimer(callback, delayMs) {
          const timer = { atMs: nowMs + Math.max(0, delayMs - world.earlyMs), callback: () => isAlive() && callback() };
          timers.push(timer);
          return () => void (timers = timers.filter((each) => each !== timer));
        },
        aborter: () => new AbortController(),
        async fetch(url, request) {
          if (!isAlive()) return new Promise(() => {});
          const answer = await service.fetch(url, request);
          return isAlive() ? answer : new Promise(() => {});
        },
        storage: {
          getItem: (key) => checked('getItem', key, () => items.getItem(key)),
          setItem: (key, value) => checked('setItem', key, () => items.setItem(key, value)),
          removeItem: (key) => checked('removeItem', key, () => items.removeItem(key)),
          getAllKeys: () => checked('getAllKeys', '', () => items.getAllKeys()),
        },
        lock: soleHolder,
        onHidden(changed) {
          hiddenListeners.push((hidden) => isAlive() && changed(hidden));
          return () => {};
        },
        onOnline(online) {
          onlineListeners.push(() => isAlive() && online());
          return () => {};
        },
        ...platform,
      };
      return startGame(
        {
          baseUrl: 'http://service.test',
          key: 'pk_test_1',
          player: 'ann',
          onDropped: (event) => void world.dropped.push(event),
          onProblem: (problem) => void world.problems.push(problem),
          ...options,
        },
        device,
      );
    },
    async pass(ms) {
      const untilMs = nowMs + ms;
      await world.settle();
      for (;;) {
        const next = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.callback();
        await world.settle();
      }
      nowMs = untilMs;
    },
    async settle() {
      // Nothing here waits for anything but promises: a few turns of the event loop run all of them.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    setHidden(hidden) {
      for (const listener of hiddenListeners) listener(hidden);
    },
    setOnline() {
      for (const listener of onlineListeners) listener();
    },
    kill() {
      life += 1;
      timers = [];
      hiddenListeners = [];
      onlineListeners = [];
    },
  };
  return world;
}

/** Names of the events that the service stored, in its order. */
export function storedNames({ service }: World): string[] {
  return service.events.map(({ event_name: name }) => name);
}
