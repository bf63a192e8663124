import { startGame } from '../typescript/src/client.ts';
import type { UntypedGame } from '../typescript/src/schema/game-types.ts';
import { nodePlatform } from '../typescript/src/node/node-platform.ts';
import { fileStorage } from '../typescript/src/node/file-storage.ts';
import { type Platform, soleHolder } from '../typescript/src/platform.ts';
import type { KeyValueStorage } from '../typescript/src/events/storage.ts';
import type { Client, ClientKind, Command, Look, StartCommand } from './client.ts';

/** The client of `sdk/typescript`, in this process: real files and requests, and a clock that commands move. */
export const typescriptClient: ClientKind = {
  name: 'typescript',
  features: [],
  launch: () => Promise.resolve(launch()),
};

const nothing = () => ({ dropped: [], problems: [], changes: [], messages: [], log: [] });

function launch(): Client {
  let isAlive = true;
  let isFull = false;
  let steadyMs = 0;
  let wallMs = 0;
  let seed = 1;
  let sending = 0;
  let saving = 0;
  let timers: { atMs: number; callback: () => void }[] = [];
  let hidden = (_isHidden: boolean) => {};
  let game: UntypedGame | undefined;
  let news: Pick<Look, 'dropped' | 'problems' | 'changes' | 'messages' | 'log'> = nothing();
  const never = new Promise<never>(() => {});
  const isSaving = () => saving > 0;

  /** Nothing of a killed client takes effect. */
  async function alive<T>(run: () => Promise<T>): Promise<T> {
    if (!isAlive) return never;
    const result = await run();
    return isAlive ? result : never;
  }

  function stored<T>(run: () => Promise<T>): Promise<T> {
    return alive(async () => {
      saving += 1;
      try {
        return await run();
      } finally {
        saving -= 1;
      }
    });
  }

  function platformOf(folder: string): Platform {
    const real = nodePlatform(undefined, folder);
    const files = fileStorage(folder);
    const storage: KeyValueStorage = {
      getItem: (key) => stored(() => files.getItem(key)),
      setItem: (key, value) =>
        stored(() => (isFull ? Promise.reject(new Error('ENOSPC: no space left')) : files.setItem(key, value))),
      removeItem: (key) => stored(() => files.removeItem(key)),
      getAllKeys: () => stored(() => files.getAllKeys()),
    };
    return {
      ...real,
      wallMs: () => wallMs,
      steadyMs: () => steadyMs,
      random: () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647,
      setTimer(callback, delayMs) {
        const timer = { atMs: steadyMs + Math.max(0, delayMs), callback };
        timers.push(timer);
        return () => void (timers = timers.filter((each) => each !== timer));
      },
      fetch: (url, request) =>
        alive(async () => {
          sending += 1;
          try {
            const answer = await real.fetch(url, request);
            const text = await answer.text();
            return { status: answer.status, headers: answer.headers, text: () => Promise.resolve(text) };
          } finally {
            sending -= 1;
          }
        }),
      storage,
      lock: soleHolder,
      log: (_level, text) => void news.log.push(text),
      onHidden(changed) {
        hidden = changed;
        return () => {};
      },
    };
  }

  function start({ folder, baseUrl, key, player, options, ...command }: StartCommand): unknown {
    ({ wallMs, seed } = command);
    const settings = {
      baseUrl,
      key,
      player,
      ...options,
      onDropped: ({ id, name, reason }: Look['dropped'][number]) => void news.dropped.push({ id, name, reason }),
      onProblem: ({ kind }: { kind: string }) => void news.problems.push(kind),
    };
    // The scripted server has no streams: they are the tests' of this client alone.
    try {
      game = startGame({ ...settings, flagStream: false }, platformOf(folder));
    } catch (error) {
      return String(error);
    }
    game.onFlagChange((flag) => void news.changes.push(flag));
    return undefined;
  }

  function advance(ms: number): void {
    steadyMs += ms;
    wallMs += ms;
    for (const timer of timers.filter(({ atMs }) => atMs <= steadyMs).sort((a, b) => a.atMs - b.atMs)) {
      // One that ran before may have cancelled it.
      if (!timers.includes(timer)) continue;
      timers = timers.filter((each) => each !== timer);
      timer.callback();
    }
  }

  /** The value as it was; the game changes what it got. */
  function taken(value: unknown, isSpoiled: boolean): unknown {
    const copy: unknown = structuredClone(value);
    if (isSpoiled && Array.isArray(value)) value.push('spoiled');
    else if (isSpoiled) Object.assign(Object(value), { price: 'spoiled' });
    return copy;
  }

  function perform(command: Command): unknown {
    switch (command.do) {
      case 'start':
        return start(command);
      case 'track':
        return game?.track(command.name, Object(command.properties));
      case 'setState':
        return game?.setState(Object(command.attributes));
      case 'flag':
        return taken(game?.flag(command.key, command.fallback), command.spoil === true);
      case 'expose':
        return game?.expose(command.key);
      case 'listen':
        game?.onIntervention(({ intervention_id: id }) => void news.messages.push(id));
        return;
      case 'end':
        void game?.end();
        return;
      case 'flush':
        void game?.flush();
        return;
      case 'pause':
        return hidden(command.isPaused);
      case 'consent':
        void game?.setConsent(command.isGiven);
        return;
      case 'quit':
        void game?.shutdown();
        return;
      case 'advance':
        return advance(command.ms);
      case 'skew':
        wallMs += command.ms;
        return;
      case 'disk':
        isFull = command.isFull;
        return;
      case 'look':
    }
  }

  return {
    async send(command) {
      const result = perform(command);
      // What is ready runs: only files, requests and timers are waited for.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const dueMs = timers.reduce((least, { atMs }) => Math.min(least, Math.max(0, atMs - steadyMs)), Infinity);
      const look = { sending: sending > 0, saving: isSaving(), dueMs: Number.isFinite(dueMs) ? dueMs : null, ...news };
      news = nothing();
      return { ...look, ...(result === undefined ? {} : { result }) };
    },
    async kill() {
      isAlive = false;
      timers = [];
      // A write that began before is over when the next client starts, as after the end of a process.
      while (isSaving()) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
