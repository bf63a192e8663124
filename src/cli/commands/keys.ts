import { Command, InvalidArgumentError, Option } from 'commander';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { type ApiKeyDocument, type Tier, TIERS } from '../../../core/vocabulary/documents/documents.ts';
import { SCOPES } from '../../../streams/config/key-scopes.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import { endOf, hashApiKey } from '../../../streams/config/api-keys.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createKey, type KeyPorts, revokeKey, rotateKey } from '../../../streams/config/key-changes.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import type { Log } from '../../../streams/log/log.ts';
import { readUseTimes } from '../../../streams/use-times.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { reasonOption } from '../reason-option.ts';
import { table } from '../table.ts';

interface CreateOptions {
  game: string;
  name?: string;
  kind: ApiKeyDocument['kind'];
  environment: Environment;
  tier: Tier;
  scope: string[];
  expires?: number;
}

interface Said {
  reason: string;
}

const environmentOption = () => new Option('--environment <environment>').choices(['live', 'test']);
const expiresOption = (absent: string) =>
  new Option('--expires <time>', `when the key ends, ISO 8601; default: ${absent}`).argParser(parseTime);

/** `keys create|list|rotate|revoke` */
export function keysCommand(context: CliContext): Command {
  const command = new Command('keys').description('Manage API keys.');
  command
    .command('create')
    .description('Create a key and print it once. Only its hash is stored.')
    .requiredOption('--game <id>', 'game of the key')
    .option('--name <name>', 'name of the key, for people')
    .addOption(
      new Option('--kind <kind>', 'client (pk_): for game clients; server (sk_): for your servers')
        .choices(['client', 'server'])
        .makeOptionMandatory(),
    )
    .addOption(environmentOption().makeOptionMandatory())
    .addOption(new Option('--tier <tier>', 'rate limit of the key').choices(Object.keys(TIERS)).makeOptionMandatory())
    .addOption(
      new Option('--scope <scope...>', 'what the key may do; without one of the first eight: all of those')
        .choices(SCOPES)
        .default([]),
    )
    .addOption(expiresOption('never'))
    .addOption(reasonOption())
    .action(({ reason, ...options }: CreateOptions & Said) =>
      context.withConfigStore((store) => create(store, options, context), { reason }),
    );
  command
    .command('list')
    .description('List all keys without their text.')
    .option('--game <id>', 'only keys of this game')
    .addOption(environmentOption())
    .action((options: { game?: string; environment?: Environment }) =>
      context.withConfigStore(async (store, log) => {
        const keys = store.list('key', options.game, options.environment);
        context.print(table(COLUMNS, await rowsOf(keys, log)));
      }),
    );
  command
    .command('rotate')
    .description('Create a successor of a key and print it once. The old key ends after the overlap.')
    .argument('<key>', "the key's id (see keys list) or its whole text")
    .addOption(
      new Option('--overlap-days <days>', 'days that the old key stays valid; 0 ends it at once')
        .argParser(parseDays)
        .default(CONFIG_LIMITS.keyOverlapDaysDefault),
    )
    .addOption(expiresOption('it lives as long as the old key was made to live'))
    .addOption(reasonOption())
    .action((which: string, { reason, ...options }: { overlapDays: number; expires?: number } & Said) =>
      context.withConfigStore((store) => rotate(store, which, options, context), { reason }),
    );
  command
    .command('revoke')
    .description('Revoke a key permanently. Every node refuses it within 200 ms.')
    .argument('<key>', "the key's id (see keys list) or its whole text")
    .addOption(reasonOption())
    .action((which: string, { reason }: Said) =>
      context.withConfigStore((store) => revoke(store, which, context), { reason }),
    );
  return command;
}

const portsOf = (store: ConfigStore, { clock, ids }: CliContext): KeyPorts => ({
  config: store,
  writes: store,
  clock,
  ids,
});

async function create(
  store: ConfigStore,
  { scope, expires, ...options }: CreateOptions,
  context: CliContext,
): Promise<void> {
  if (store.get(gameAddress(options.game)) === undefined) {
    throw new CliError(`There is no game ${options.game}. Create it with games create ${options.game}.`);
  }
  const request = { ...options, scopes: [...new Set(scope)], expiresAt: expires };
  const made = await createKey(request, portsOf(store, context));
  if (made.kind === 'failure') throw new CliError(made.message);
  context.note(`Created the key ${made.entry.document.id}. It is shown only once:`);
  context.print(made.text);
}

async function rotate(
  store: ConfigStore,
  which: string,
  { overlapDays, expires }: { overlapDays: number; expires?: number },
  context: CliContext,
): Promise<void> {
  const made = await rotateKey(found(store, which), { overlapDays, expiresAt: expires }, portsOf(store, context));
  if (made.kind === 'failure') throw new CliError(made.message);
  const { id, hint } = made.old.document;
  context.note(`The key ${id} (${hint}) ends at ${iso(endOf(made.old.document))}.`);
  context.note(`Its successor is ${made.entry.document.id}. It is shown only once:`);
  context.print(made.text);
}

async function revoke(store: ConfigStore, which: string, context: CliContext): Promise<void> {
  const held = found(store, which);
  if (held.document.revokedAt !== null) {
    context.note(`The key was already revoked at ${iso(held.document.revokedAt)}.`);
    return;
  }
  const revoked = await revokeKey(held, portsOf(store, context));
  if (revoked.kind === 'failure') throw new CliError(revoked.message);
  context.note(`Revoked the key ${held.document.id} (${held.document.hint}).`);
}

function found(store: ConfigStore, which: string): ConfigEntry<'key'> {
  const hash = hashApiKey(which);
  const entry = store.list('key').find(({ key, document }) => document.id === which || key === hash);
  if (entry === undefined) throw new CliError('There is no such key. List the keys with keys list.');
  return entry;
}

const ABOUT = ['id', 'key', 'game', 'environment', 'kind', 'tier', 'scopes', 'name'];
const COLUMNS = [...ABOUT, 'created', 'used', 'expires', 'revoked'];

/** What a process used within the last hour may not be stored yet. */
async function rowsOf(keys: readonly ConfigEntry<'key'>[], log: Pick<Log, 'bucket'>): Promise<string[][]> {
  const used = new Map<string, number>();
  const places = new Map(keys.map(({ game, environment }) => [`${game}.${environment}`, { game, environment }]));
  for (const { game, environment } of places.values()) {
    if (environment === '_') continue;
    for (const [id, at] of (await readUseTimes(log, 'keys', { game, environment })).byKey) used.set(id, at);
  }
  return keys.map(({ game, environment, document }) => {
    const { id, name = '', hint, kind, tier, scopes, createdAt, revokedAt } = document;
    const ends = endOf({ ...document, revokedAt: null });
    const about = [id, hint, game, environment, kind, tier, scopes.join(' '), name];
    return [...about, ...[createdAt, used.get(id), ends, revokedAt].map(iso)];
  });
}

function iso(atMs: number | null | undefined): string {
  return atMs === null || atMs === undefined ? '' : new Date(atMs).toISOString();
}

function parseTime(text: string): number {
  const at = parseTimestamp(text);
  if (at === undefined) throw new InvalidArgumentError('Write a time as 2026-12-31 or 2026-12-31T12:00:00Z.');
  return at;
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= CONFIG_LIMITS.keyOverlapDays) return days;
  throw new InvalidArgumentError(`Write a whole number of days, 0 to ${CONFIG_LIMITS.keyOverlapDays}.`);
}
