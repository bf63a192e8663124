import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../streams/config/api-keys.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import { gameAddress } from '../../streams/config/games.ts';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { ensureDemo } from './demo.ts';
import { systemClock as clock } from '../../core/kernel/clock.ts';
import { systemIds as ids } from '../../core/kernel/ids.ts';

let dataDir: string;
const file = () => join(dataDir, 'demo-keys.json');

function keysInFile(): { game_id: string; live: Record<string, string>; test: Record<string, string> } {
  return JSON.parse(readFileSync(file(), 'utf8'));
}

/** The document of each key in the file, as the gateway finds it. */
function opened(config: ConfigStore): string[] {
  const keys = keysInFile();
  return (['live', 'test'] as const).flatMap((environment) =>
    Object.values(keys[environment]).map((text) => {
      const entry = config.get({ game: 'demo', environment, kind: 'key', key: hashApiKey(text) });
      return `${text.slice(0, 8)} ${entry?.document.kind} ${entry?.document.tier} ${entry?.document.scopes.join()}`;
    }),
  );
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'player-analytics-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the demo game', () => {
  test('is created at the first start, with four keys that have all scopes', async () => {
    const config = createMemoryConfigStore();
    expect(await ensureDemo({ config, clock, ids, dataDir })).toBe(true);
    expect(keysInFile().game_id).toBe('demo');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(config.get(gameAddress('demo'))?.document.name).toBe('Demo');
    expect(opened(config)).toEqual([
      'pk_live_ client enterprise scoring:write',
      'sk_live_ server enterprise scoring:write',
      'pk_test_ client enterprise scoring:write',
      'sk_test_ server enterprise scoring:write',
    ]);
  });

  test('does not change at later starts', async () => {
    const config = createMemoryConfigStore();
    await ensureDemo({ config, clock, ids, dataDir });
    const before = { file: readFileSync(file(), 'utf8'), revision: config.revision };
    expect(await ensureDemo({ config, clock, ids, dataDir })).toBe(true);
    expect({ file: readFileSync(file(), 'utf8'), revision: config.revision }).toEqual(before);
  });

  test('is created again with the same keys when the log was deleted', async () => {
    await ensureDemo({ config: createMemoryConfigStore(), clock, ids, dataDir });
    const before = readFileSync(file(), 'utf8');
    const config = createMemoryConfigStore();
    await ensureDemo({ config, clock, ids, dataDir });
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(opened(config).filter((line) => line.includes('enterprise'))).toHaveLength(4);
  });

  test('gets new keys and keeps its namespace when the file is missing or incomplete', async () => {
    const config = createMemoryConfigStore();
    await ensureDemo({ config, clock, ids, dataDir });
    const { namespace } = config.get(gameAddress('demo'))!.document;
    writeFileSync(file(), '{"live": {"client": "pk_live');
    await ensureDemo({ config, clock, ids, dataDir });
    expect(opened(config).filter((line) => line.includes('enterprise'))).toHaveLength(4);
    expect(config.get(gameAddress('demo'))!.document.namespace).toBe(namespace);
  });

  test('keeps revoked keys revoked', async () => {
    const config = createMemoryConfigStore();
    await ensureDemo({ config, clock, ids, dataDir });
    const { kind, game, environment, key, document } = config.list('key', 'demo', 'live')[0]!;
    await config.put({ kind, game, environment, key }, { ...document, revokedAt: 1 });
    await ensureDemo({ config, clock, ids, dataDir });
    expect(config.get({ kind, game, environment, key })?.document.revokedAt).toBe(1);
  });

  test('reports failure while the log is unavailable', async () => {
    const config = createMemoryConfigStore();
    config.down = true;
    expect(await ensureDemo({ config, clock, ids, dataDir })).toBe(false);
    config.down = false;
    expect(await ensureDemo({ config, clock, ids, dataDir })).toBe(true);
    expect(opened(config).filter((line) => line.includes('enterprise'))).toHaveLength(4);
  });
});
