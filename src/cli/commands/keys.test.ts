import { Command } from 'commander';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../../streams/config/api-keys.ts';
import type { Log } from '../../../streams/log/log.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { playerTokensAddress } from '../../../streams/config/player-tokens.ts';
import { createMemoryConfigStore } from '../../../test/support/in-memory/memory-config-store.ts';
import { systemClock as clock } from '../../../core/kernel/clock.ts';
import { systemIds as ids } from '../../../core/kernel/ids.ts';
import { CliError } from '../cli-error.ts';
import { gamesCommand } from './games.ts';
import { keysCommand } from './keys.ts';

let store: ConfigStore;
let log: Log;
let printed: string[];
/** What the commands said for the audit, each when it opened the definitions. */
let reasons: (string | undefined)[];

beforeEach(() => {
  store = createMemoryConfigStore();
  log = createMemoryBroker({ clock }).connect();
  printed = [];
  reasons = [];
});

/** Runs a command line; its standard output is in `printed`. */
async function cli(...line: string[]): Promise<void> {
  const context = {
    clock,
    ids,
    print: (text: string) => void printed.push(text),
    note: () => {},
    dataDir: '',
    modelPath: '',
    withConfigStore: (
      use: (store: ConfigStore, log: Pick<Log, 'bucket'>) => Promise<void>,
      { reason }: { reason?: string } = {},
    ) => {
      reasons.push(reason);
      return use(store, log);
    },
    withDeployment: async () => {},
    baseUrl: () => undefined,
    clickhouse: () => ({ url: '', user: '', password: '', database: '' }),
  };
  const program = new Command().addCommand(keysCommand(context)).addCommand(gamesCommand(context));
  const second = program.commands.flatMap(({ commands }) => commands);
  for (const command of [program, ...program.commands, ...second, ...second.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  await program.parseAsync(line, { from: 'user' });
}

const createKey = (...more: string[]) =>
  cli('keys', 'create', '--game', 'g', '--kind', 'client', '--environment', 'live', '--tier', 'growth', ...more);

describe('games', () => {
  test('create stores a game with its own namespace and prints its id', async () => {
    await cli('games', 'create', 'g', '--name', 'Great', '--tenant', 'studio');
    expect(printed).toEqual(['g']);
    expect(store.get(gameAddress('g'))?.document).toMatchObject({ name: 'Great', tenant: 'studio' });
  });

  test('create refuses an id that exists and an invalid id', async () => {
    await cli('games', 'create', 'g');
    await expect(cli('games', 'create', 'g')).rejects.toThrow(CliError);
    await expect(cli('games', 'create', 'a.b')).rejects.toThrow(/cannot be a game's id/);
  });

  test('set changes the given thresholds and refuses impossible ones', async () => {
    await cli('games', 'create', 'g');
    const thresholds = () => store.get(gameAddress('g'))?.document.lifecycle;
    expect(thresholds()).toBeUndefined();
    await cli('games', 'set', 'g', '--at-risk-days', '3');
    await cli('games', 'set', 'g', '--churned-days', '10', '--new-days', '2', '--reactivated-sessions', '1');
    expect(thresholds()).toEqual({ atRiskDays: 3, churnedDays: 10, newDays: 2, reactivatedSessions: 1 });
    await expect(cli('games', 'set', 'g', '--at-risk-days', '10')).rejects.toThrow(
      /\(10\) must be fewer than churned days \(10\)/,
    );
    for (const wrong of ['0', '-1', '1.5', '366', 'week', '']) {
      await expect(cli('games', 'set', 'g', '--at-risk-days', wrong), wrong).rejects.toThrow(/whole number/);
    }
    expect(thresholds()).toMatchObject({ atRiskDays: 3 });
  });

  test('list shows every game', async () => {
    await cli('games', 'create', 'a');
    await cli('games', 'create', 'b');
    await cli('games', 'list');
    expect(
      printed
        .at(-1)
        ?.split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['id', 'a', 'b']);
  });

  test('set changes one setting and leaves the rest', async () => {
    await cli('games', 'create', 'g', '--name', 'Great');
    const before = store.get(gameAddress('g'))?.document;
    await cli('games', 'set', 'g', '--client-purchases', 'off');
    expect(store.get(gameAddress('g'))?.document).toEqual({ ...before, clientPurchases: false, version: 2 });
    await cli('games', 'set', 'g', '--client-purchases', 'on');
    expect(store.get(gameAddress('g'))?.document).toEqual({ ...before, clientPurchases: true, version: 3 });
  });

  test('set limits the attributes that client keys may set', async () => {
    await cli('games', 'create', 'g');
    const setting = () => store.get(gameAddress('g'))?.document.clientAttributes;
    const listed = ['games', 'set', 'g', '--client-attributes', 'listed'];
    await cli(...listed, '--listed-attributes', 'level', '__proto__', 'level');
    expect(setting()).toEqual({ listed: ['level', '__proto__'] });
    await cli('games', 'set', 'g', '--client-attributes', 'none');
    expect(setting()).toBe('none');
    await expect(cli(...listed)).rejects.toThrow(/--listed-attributes/);
    await expect(cli(...listed, '--listed-attributes', 'x'.repeat(129))).rejects.toThrow(/1 to 128/);
    await expect(cli('games', 'set', 'g', '--listed-attributes', 'level')).rejects.toThrow(
      /needs --client-attributes listed/,
    );
    expect(setting()).toBe('none');
  });

  test('player-tokens creates, rotates and deletes the secret of a game, and prints it once', async () => {
    await cli('games', 'create', 'g');
    const document = () => store.get(gameAddress('g'))?.document;
    const secrets = () => store.get(playerTokensAddress('g'))?.document;
    await expect(cli('games', 'set', 'g', '--require-player-token', 'on')).rejects.toThrow(/player-tokens create/);
    await expect(cli('games', 'player-tokens', 'rotate', 'g')).rejects.toThrow(/no secret/);
    await cli('games', 'player-tokens', 'create', 'g');
    const first = printed.at(-1) ?? '';
    expect(first).toMatch(/^ptsec_[\w-]{43}$/);
    expect(secrets()).toEqual({ secret: first });
    await expect(cli('games', 'player-tokens', 'create', 'g')).rejects.toThrow(/rotate g/);
    await cli('games', 'set', 'g', '--require-player-token', 'on');

    const beforeMs = clock.wallMs();
    await cli('games', 'player-tokens', 'rotate', 'g', '--overlap-hours', '2');
    const second = printed.at(-1) ?? '';
    expect(second).not.toBe(first);
    expect(secrets()).toMatchObject({ secret: second, previous: { secret: first } });
    const until = secrets()?.previous?.until ?? 0;
    expect(until).toBeGreaterThanOrEqual(beforeMs + 7_200_000);
    expect(until).toBeLessThan(beforeMs + 7_300_000);
    await cli('games', 'player-tokens', 'rotate', 'g', '--overlap-hours', '0');
    expect(secrets()).toEqual({ secret: printed.at(-1) });
    for (const wrong of ['-1', '721', 'a day', '']) {
      await expect(cli('games', 'player-tokens', 'rotate', 'g', '--overlap-hours', wrong), wrong).rejects.toThrow(
        /0 to 720/,
      );
    }

    await cli('games', 'player-tokens', 'disable', 'g');
    expect(secrets()).toBeUndefined();
    expect(document()).not.toHaveProperty('requirePlayerToken');
    await expect(cli('games', 'player-tokens', 'disable', 'g')).rejects.toThrow(/no secret/);
  });

  test('set refuses an unknown game, an unknown value and no setting', async () => {
    await cli('games', 'create', 'g');
    const before = store.get(gameAddress('g'));
    await expect(cli('games', 'set', 'x', '--client-purchases', 'off')).rejects.toThrow(/no game x/);
    await expect(cli('games', 'set', 'g', '--client-purchases', 'maybe')).rejects.toThrow(/choices are on, off/);
    await expect(cli('games', 'set', 'g')).rejects.toThrow(/Name a setting/);
    expect(store.get(gameAddress('g'))).toEqual(before);
  });
});

describe('keys', () => {
  beforeEach(async () => {
    await cli('games', 'create', 'g');
    printed = [];
  });

  test('create prints only the key and stores its hash', async () => {
    await createKey('--scope', 'scoring:write');
    expect(printed).toEqual([expect.stringMatching(/^pk_live_\w{32}$/)]);
    const key = hashApiKey(printed[0]!);
    const entry = store.get({ game: 'g', environment: 'live', kind: 'key', key });
    expect(entry?.document).toMatchObject({ kind: 'client', tier: 'growth', scopes: ['scoring:write'] });
  });

  test('create refuses an unknown game, kind, environment, tier and scope', async () => {
    await expect(createKey('--game', 'x')).rejects.toThrow(/no game x/);
    await expect(createKey('--kind', 'x')).rejects.toThrow(/Allowed choices are client, server/);
    await expect(createKey('--environment', 'x')).rejects.toThrow(/Allowed choices are live, test/);
    await expect(createKey('--tier', 'x')).rejects.toThrow(/Allowed choices are growth, pro, enterprise/);
    await expect(createKey('--scope', 'x')).rejects.toThrow(/Allowed choices are track, evaluate, .*scoring:write/);
    await expect(cli('keys', 'create', '--game', 'g')).rejects.toThrow(/required option/);
    expect(store.list('key')).toEqual([]);
  });

  test('list never shows a key', async () => {
    await createKey();
    const text = printed[0]!;
    await cli('keys', 'list');
    expect(printed[1]).toContain(text.slice(0, 12));
    expect(printed[1]).not.toContain(text.slice(0, 16));
  });

  test.each(['id', 'text'] as const)('revoke by %s revokes a key; repeating it changes nothing', async (by) => {
    await createKey();
    const which = by === 'text' ? printed[0]! : store.list('key')[0]!.document.id;
    await cli('keys', 'revoke', which);
    const { revokedAt } = store.list('key')[0]!.document;
    expect(revokedAt).not.toBeNull();
    await cli('keys', 'revoke', which);
    expect(store.list('key')[0]!.document.revokedAt).toBe(revokedAt);
  });

  test('create takes a name and an expiry, and refuses what the console refuses', async () => {
    await createKey('--name', 'match server', '--expires', '2035-01-01', '--scope', 'track', 'read', 'track');
    expect(store.list('key')[0]?.document).toMatchObject({
      name: 'match server',
      scopes: ['track', 'read'],
      expiresAt: Date.UTC(2035, 0, 1),
    });
    await expect(createKey('--scope', 'define')).rejects.toThrow(/of a client key may be track, evaluate, read/);
    await expect(createKey('--expires', '2020-01-01')).rejects.toThrow(/must be in the future/);
    await expect(createKey('--expires', 'tomorrow')).rejects.toThrow(/Write a time/);
    await expect(createKey('--name', 'x'.repeat(65))).rejects.toThrow(/at most 64/);
    expect(store.list('key')).toHaveLength(1);
  });

  test('list shows names, when keys were last used, and when they end', async () => {
    await createKey('--name', 'match server', '--expires', '2035-01-01');
    const id = store.list('key')[0]!.document.id;
    const times = JSON.stringify({ all: 0, byKey: { [id]: Date.UTC(2026, 0, 2, 3, 4) } });
    await log.bucket('USE_TIMES').put('keys.g.live', Buffer.from(times), 0);
    await cli('keys', 'list', '--game', 'g');
    expect(printed.at(-1)).toMatch(/match server .*2026-01-02T03:04:00\.000Z +2035-01-01T00:00:00\.000Z/);
  });

  test('rotate by text prints a successor once and ends the old key after the overlap', async () => {
    await createKey('--name', 'n', '--scope', 'track');
    const text = printed[0]!;
    const beforeMs = clock.wallMs();
    await cli('keys', 'rotate', text, '--overlap-days', '2');
    expect(printed).toEqual([text, expect.stringMatching(/^pk_live_\w{32}$/)]);
    const [old, next] = [hashApiKey(text), hashApiKey(printed[1]!)].map(
      (key) => store.get({ game: 'g', environment: 'live', kind: 'key', key })?.document,
    );
    expect(next).toMatchObject({ name: 'n', kind: 'client', tier: 'growth', scopes: ['track'] });
    expect(old?.rotated?.successor).toBe(next?.id);
    expect(old?.rotated?.until).toBeGreaterThanOrEqual(beforeMs + 2 * 86_400_000);
    for (const wrong of ['31', '-1', '1.5', 'week', '']) {
      await expect(cli('keys', 'rotate', text, '--overlap-days', wrong), wrong).rejects.toThrow(/0 to 30/);
    }
    await cli('keys', 'revoke', text);
    await expect(cli('keys', 'rotate', text)).rejects.toThrow(/expired or is revoked/);
    await expect(cli('keys', 'rotate', 'nobody')).rejects.toThrow(/no such key/);
  });

  test('revoke of an unknown key is refused', async () => {
    await expect(cli('keys', 'revoke', 'nobody')).rejects.toThrow(/no such key/);
  });
});

describe('--reason', () => {
  test('is what keys, games set and games rates say for the audit; without it they say nothing', async () => {
    await cli('games', 'create', 'g');
    reasons = [];
    await createKey('--reason', ' A new build ');
    const [{ document } = { document: undefined }] = store.list('key');
    await cli('keys', 'rotate', String(document?.id), '--reason', 'It leaked');
    await cli('keys', 'revoke', String(document?.id), '--reason', 'Gone');
    await cli('games', 'set', 'g', '--currency', 'EUR', '--reason', 'We sell in euros');
    await cli('games', 'rates', 'g', '--reason', 'A look');
    await cli('games', 'set', 'g', '--currency', 'USD');
    expect(reasons).toEqual(['A new build', 'It leaked', 'Gone', 'We sell in euros', 'A look', '']);
  });

  test('has at most 500 characters, as over HTTP', async () => {
    await cli('games', 'create', 'g');
    await expect(createKey('--reason', 'x'.repeat(501))).rejects.toThrow('at most 500 characters');
    expect(store.list('key')).toEqual([]);
    await createKey('--reason', 'x'.repeat(500));
    expect(store.list('key')).toHaveLength(1);
  });
});
