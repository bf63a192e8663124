import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { storageLease } from '../src/browser/storage-lease.ts';
import { webPlatform } from '../src/browser/web-platform.ts';
import { fileStorage } from '../src/node/file-storage.ts';
import { defaultFolder } from '../src/node/node-platform.ts';
import { processLock } from '../src/node/process-lock.ts';
import { storageNames } from '../src/events/storage-names.ts';
import { memoryStorage } from '../src/events/storage.ts';
import { fakeBrowser } from './support/fake-browser.ts';

const folders: string[] = [];
const freshFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-sdk-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['memory', () => memoryStorage()],
  ['a folder', () => fileStorage(join(freshFolder(), 'made', 'when needed'))],
  ['IndexedDB', () => webPlatform(undefined, fakeBrowser()).storage],
])('storage in %s', (_, create) => {
  it('keeps text by key', async () => {
    const storage = create();
    expect(await storage.getItem('a/b')).toBeNull();
    expect(await storage.getAllKeys()).toEqual([]);
    await storage.setItem('a/b', 'one');
    await storage.setItem('ünïcödé ~', 'two');
    await storage.setItem('a/b', '\u{1F600}');
    expect(await storage.getItem('a/b')).toBe('\u{1F600}');
    expect([...(await storage.getAllKeys())].sort()).toEqual(['a/b', 'ünïcödé ~']);
    await storage.removeItem('a/b');
    await storage.removeItem('never there');
    expect(await storage.getItem('a/b')).toBeNull();
  });
});

describe('storage in a folder', () => {
  it('is one of the program by default, so that programs of one user do not send for each other', () => {
    const folders = ['/srv/arena/main.js', '/srv/bot/main.js', '/srv/arena/main.js'].map((path) =>
      defaultFolder(path, '/home/ann'),
    );
    expect(folders[0]).toMatch(/^\/home\/ann\/.player-analytics\/main.js-[0-9a-f]{12}$/);
    expect([folders[0] === folders[1], folders[0] === folders[2]]).toEqual([false, true]);
  });

  it('refuses where it cannot write, and leaves no scratch file', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(fileStorage(join(folder, 'file')).setItem('a', 'b')).rejects.toThrow();
    mkdirSync(join(folder, 'store', 'a'), { recursive: true });
    await expect(fileStorage(join(folder, 'store')).setItem('a', 'b')).rejects.toThrow();
    expect(readdirSync(join(folder, 'store'))).toEqual(['a']);
  });

  it('passes over files of others', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, '100%'), '');
    const storage = fileStorage(folder);
    await storage.setItem('a', 'b');
    expect(await storage.getAllKeys()).toEqual(['a']);
  });
});

describe('storage in IndexedDB', () => {
  it('rejects when the quota is full, and opens again when the connection is lost', async () => {
    const browser = fakeBrowser();
    const { storage } = webPlatform(undefined, browser);
    await storage.setItem('a', '1');
    browser.database.isFull = true;
    await expect(storage.setItem('b', '2')).rejects.toThrow('QuotaExceededError');
    browser.database.isFull = false;
    browser.database.isClosed = true;
    await expect(storage.setItem('b', '2')).rejects.toThrow('InvalidStateError');
    browser.database.isClosed = false;
    await storage.setItem('b', '3');
    expect(await storage.getItem('b')).toBe('3');
  });
});

describe('the lock of a process', () => {
  const noTimer = () => () => {};

  it('is held by one, and passes on', () => {
    const path = join(freshFolder(), 'locks', 'one');
    const held: string[] = [];
    let retry = () => {};
    const release = processLock(path, () => void held.push('first'), noTimer);
    const releaseSecond = processLock(
      path,
      () => void held.push('second'),
      (callback) => {
        retry = callback;
        return () => {};
      },
    );
    retry();
    expect(held).toEqual(['first']);
    release();
    retry();
    expect(held).toEqual(['first', 'second']);
    releaseSecond();
  });

  it('is taken over from a process that died, and not from one that lives', () => {
    const path = join(freshFolder(), 'one');
    const held: boolean[] = [];
    writeFileSync(path, String(process.ppid));
    processLock(path, (isHeld) => void held.push(isHeld), noTimer);
    expect(held).toEqual([]);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(path, String(pid));
    const release = processLock(path, (isHeld) => void held.push(isHeld), noTimer);
    expect(held).toEqual([true]);
    release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

describe('the lease in storage', () => {
  it('is held by one tab, and taken over when that tab is gone', async () => {
    const storage = memoryStorage();
    let nowMs = 0;
    let timers: { atMs: number; run: () => void }[] = [];
    const pass = async (ms: number) => {
      const untilMs = nowMs + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        nowMs = next.atMs;
        next.run();
      }
      nowMs = untilMs;
    };
    const held: [string, boolean][] = [];
    const open = (name: string, seed: number) => {
      let isAlive = true;
      const platform = {
        storage,
        wallMs: () => nowMs,
        random: () => seed,
        setTimer: (run: () => void, delayMs: number) => {
          const timer = { atMs: nowMs + delayMs, run: () => isAlive && run() };
          timers.push(timer);
          return () => void (timers = timers.filter((each) => each !== timer));
        },
      };
      const release = storageLease(platform, 'lease', (isHeld) => void held.push([name, isHeld]));
      return { release, kill: () => void (isAlive = false) };
    };
    const first = open('first', 0.25);
    const second = open('second', 0.75);
    await pass(60_000);
    expect(held).toHaveLength(1);
    const [[holder] = ['']] = held;
    (holder === 'first' ? first : second).kill();
    await pass(60_000);
    expect(held).toHaveLength(2);
    expect(held[1]?.[0]).not.toBe(holder);
    (holder === 'first' ? second : first).release();
    await pass(1_000);
    expect(await storage.getItem('lease')).toBeNull();
  });
});

describe('a browser', () => {
  it('reports hiding by either event, once', () => {
    const browser = fakeBrowser();
    const seen: boolean[] = [];
    const stop = webPlatform(undefined, browser).onHidden?.((isHidden) => void seen.push(isHidden));
    browser.document.visibilityState = 'hidden';
    browser.document.fire('visibilitychange');
    browser.fire('pagehide');
    browser.document.visibilityState = 'visible';
    browser.fire('pageshow');
    expect(seen).toEqual([true, false]);
    stop?.();
    browser.fire('pagehide');
    expect(seen).toHaveLength(2);
  });

  it('grants Web Locks one after another', async () => {
    const browser = fakeBrowser();
    const held: string[] = [];
    const platform = webPlatform(undefined, browser);
    const release = platform.lock('a', () => void held.push('first'));
    platform.lock('a', () => void held.push('second'));
    platform.lock('b', () => void held.push('other'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toEqual(['first', 'other']);
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toEqual(['first', 'other', 'second']);
  });

  it('follows no redirection with its key, neither with requests nor with the stream', async () => {
    const browser = fakeBrowser();
    const seen: unknown[] = [];
    const globals = {
      ...browser,
      ReadableStream: {},
      fetch: async (_url: string, { redirect }: { redirect?: string }) => {
        seen.push(redirect);
        throw new TypeError('a redirection');
      },
    };
    await expect(
      webPlatform(undefined, globals).stream?.('http://x', { 'X-API-Key': 'pk' }, { aborted: false }, () => {}),
    ).rejects.toThrow('a redirection');
    expect(seen).toEqual(['error']);
  });

  it('without storage, locks and document is a platform too', async () => {
    const { setTimeout, clearTimeout } = globalThis;
    const bare = webPlatform(undefined, {
      AbortController,
      setTimeout: (callback, ms) => setTimeout(callback, ms),
      clearTimeout: (timer) => clearTimeout(Number(timer)),
    });
    let isHeld = false;
    bare.lock('a', (held) => void (isHeld = held));
    expect(isHeld).toBe(true);
    expect([bare.onHidden, bare.channel, bare.stream]).toEqual([undefined, undefined, undefined]);
    await expect(
      bare.fetch('http://x', {
        method: 'POST',
        headers: {},
        body: '',
        keepalive: false,
        redirect: 'error',
        signal: { aborted: false },
      }),
    ).rejects.toThrow('fetch');
  });
});

describe('names in storage', () => {
  it('differ between services, keys and players, and fit any file system', () => {
    const names = [
      ['u', 'k', 'p'],
      ['u', 'k', 'q'],
      ['u', 'l', 'p'],
      ['v', 'k', 'p'],
      ['u', 'k', 'p'.repeat(256)],
    ];
    const keys = names.map(([url = '', key = '', player = '']) => storageNames(url, key, player).queue);
    expect(new Set(keys).size).toBe(5);
    for (const each of keys) expect(encodeURIComponent(each).length).toBeLessThan(150);
  });
});
