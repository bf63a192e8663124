import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyRecord, type ApiKeyRequest, createApiKey } from '../../streams/config/api-keys.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { ApiKeyDocument } from '../../core/vocabulary/documents/documents.ts';
import { createGame, gameAddress } from '../../streams/config/games.ts';
import { newUser, userAddress, userOfEmail, withoutToken, withToken } from '../../streams/config/people/users.ts';
import type { ProcessGroup } from '../settings/config.ts';
import { sleep, type Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { PROCESS_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';

const GAME = 'demo';
const ENVIRONMENTS = ['live', 'test'] as const satisfies readonly Environment[];
const KINDS = ['client', 'server'] as const satisfies readonly ApiKeyDocument['kind'][];

/** Whoever may read DATA_DIR and the output of `npm start`. */
const DEVELOPER = 'developer@console.local';
const LINK_FILE = 'console-link.json';

/** The content of `$DATA_DIR/demo-keys.json`. */
export interface DemoKeys {
  game_id: typeof GAME;
  live: Record<ApiKeyDocument['kind'], string>;
  test: Record<ApiKeyDocument['kind'], string>;
}

export interface DemoOptions {
  config: ConfigStore;
  clock: Clock;
  ids: Ids;
  dataDir: string;
  /** False: another process creates what is missing. Default: true. */
  creates?: boolean;
}

/**
 * Creates the game `demo` and the keys in `$DATA_DIR/demo-keys.json` (mode 0600) unless they exist. The file is written
 * before the log, so the next start repairs a crash between the two, or a log that was deleted. Revoked keys stay
 * revoked.
 * @returns false if something is missing, because the log was unavailable or `creates` is false; call it again later
 */
export async function ensureDemo({ config, clock, ids, dataDir, creates = true }: DemoOptions): Promise<boolean> {
  const path = join(dataDir, 'demo-keys.json');
  const keys = (await readKeys(path)) ?? (creates ? await writeKeys(path, clock, ids) : undefined);
  if (keys === undefined) return false;

  if (config.get(gameAddress(GAME)) === undefined) {
    if (!creates) return false;
    // Revision 0 only creates: if another node creates the game at the same time, its namespace stays.
    const written = await config.put(gameAddress(GAME), createGame('Demo', GAME, clock, ids), 0);
    if (written.kind === 'unavailable') return false;
  }
  for (const environment of ENVIRONMENTS) {
    for (const kind of KINDS) {
      const { address, document } = apiKeyRecord(keys[environment][kind], requestFor(environment, kind), clock, ids);
      if (config.get(address) !== undefined) continue;
      if (!creates) return false;
      const written = await config.put(address, document, 0);
      if (written.kind === 'unavailable') return false;
    }
  }
  return true;
}

/**
 * Gives the developer a new one-time link to the console, in `$DATA_DIR/console-link.json` (mode 0600), from which
 * `npm start` reads it. Links of earlier starts end.
 * @returns false if the log was unavailable
 */
async function ensureDeveloper({ config, clock, ids, dataDir }: Omit<DemoOptions, 'creates'>): Promise<boolean> {
  const held = userOfEmail(config, DEVELOPER);
  const grants = [{ game: '*', environment: '*', role: 'admin' }] as const;
  const user = held === undefined ? newUser(DEVELOPER, grants, clock, ids) : withoutToken(held.document, 'link');
  const made = withToken(user, 'link', PROCESS_LIMITS.startLinkMs, clock, ids);
  const written = await config.put(userAddress(user.id), made.user, held?.revision ?? 0);
  if (written.kind !== 'written') return false;
  await writeWhole(
    join(dataDir, LINK_FILE),
    { token: made.token, expires_at: new Date(made.expiresAt).toISOString() },
    ids,
  );
  return true;
}

/** The path of the page that signs the developer in; undefined without a link. */
export async function consoleLink(dataDir: string): Promise<string | undefined> {
  const token = property(await readJson(join(dataDir, LINK_FILE)), 'token');
  return typeof token === 'string' ? `/console/link#${token}` : undefined;
}

/**
 * Resolves when the game and its keys exist. The first process of a group creates them in the group's folder, and the
 * others wait for them: before that they would refuse the keys.
 */
export async function untilDemo(
  options: Omit<DemoOptions, 'creates'> & { group: ProcessGroup | undefined; logger: Logger },
): Promise<void> {
  const { group, clock, logger } = options;
  const creates = group === undefined || group.number === 1;
  const demo = { ...options, dataDir: group?.dataDir ?? options.dataDir, creates };
  while (!(await ensureDemo(demo))) {
    if (creates) logger.warn('could not create the demo game because the log is unavailable; trying again');
    await sleep(clock, creates ? SHARED_LIMITS.leaseRenewMs : PROCESS_LIMITS.joinPortMs);
  }
  if (creates && !(await ensureDeveloper(demo)))
    logger.warn('could not make a link to the console; use the command line');
}

function requestFor(environment: Environment, kind: ApiKeyDocument['kind']): ApiKeyRequest {
  return { game: GAME, environment, kind, tier: 'enterprise', scopes: ['scoring:write'] };
}

/** The keys in the file; `undefined` if the file is missing or incomplete. */
async function readKeys(path: string): Promise<DemoKeys | undefined> {
  const value = await readJson(path);
  const live = pairOf(value, 'live');
  const test = pairOf(value, 'test');
  return live === undefined || test === undefined ? undefined : { game_id: GAME, live, test };
}

function pairOf(value: unknown, environment: Environment): DemoKeys['live'] | undefined {
  const pair = property(value, environment);
  const client = property(pair, 'client');
  const server = property(pair, 'server');
  return typeof client === 'string' && typeof server === 'string' ? { client, server } : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

async function writeKeys(path: string, clock: Clock, ids: Ids): Promise<DemoKeys> {
  const pair = (environment: Environment): DemoKeys['live'] => ({
    client: createApiKey(requestFor(environment, 'client'), clock, ids).text,
    server: createApiKey(requestFor(environment, 'server'), clock, ids).text,
  });
  const keys: DemoKeys = { game_id: GAME, live: pair('live'), test: pair('test') };
  await writeWhole(path, keys, ids);
  return keys;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function writeWhole(path: string, value: object, ids: Ids): Promise<void> {
  await mkdir(join(path, '../..'), { recursive: true });
  const half = `${path}.${ids.uuidv4()}`;
  await writeFile(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(half, path);
}
