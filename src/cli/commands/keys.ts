import { Command, Option } from 'commander';
import { createApiKey, hashApiKey } from '../../../streams/config/api-keys.ts';
import { SCOPES } from '../../../core/vocabulary/documents/key-scopes.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { type ApiKeyDocument, type Tier, TIERS } from '../../../core/vocabulary/documents/documents.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';

interface CreateOptions {
  game: string;
  kind: ApiKeyDocument['kind'];
  environment: Environment;
  tier: Tier;
  scope: string[];
}

const environmentOption = () => new Option('--environment <environment>').choices(['live', 'test']);

/** `keys create|list|revoke` */
export function keysCommand(context: CliContext): Command {
  const command = new Command('keys').description('Manage API keys.');
  command
    .command('create')
    .description('Create a key and print it once. Only its hash is stored.')
    .requiredOption('--game <id>', 'game of the key')
    .addOption(
      new Option('--kind <kind>', 'client (pk_): for game clients; server (sk_): for your servers')
        .choices(['client', 'server'])
        .makeOptionMandatory(),
    )
    .addOption(environmentOption().makeOptionMandatory())
    .addOption(new Option('--tier <tier>', 'rate limit of the key').choices(Object.keys(TIERS)).makeOptionMandatory())
    .addOption(new Option('--scope <scope...>', 'additional permissions').choices(SCOPES).default([]))
    .action((options: CreateOptions) => context.withConfigStore((store) => create(store, options, context)));
  command
    .command('list')
    .description('List all keys without their text.')
    .option('--game <id>', 'only keys of this game')
    .addOption(environmentOption())
    .action((options: { game?: string; environment?: Environment }) =>
      context.withConfigStore(async (store) => {
        const keys = store.list('key', options.game, options.environment);
        context.print(
          table(['id', 'key', 'game', 'environment', 'kind', 'tier', 'scopes', 'created', 'revoked'], keys.map(row)),
        );
      }),
    );
  command
    .command('revoke')
    .description('Revoke a key permanently. Every node refuses it within 200 ms.')
    .argument('<key>', "the key's id (see keys list) or its whole text")
    .action((which: string) => context.withConfigStore((store) => revoke(store, which, context)));
  return command;
}

async function create(
  store: ConfigStore,
  options: CreateOptions,
  { clock, ids, print, note }: CliContext,
): Promise<void> {
  if (store.get(gameAddress(options.game)) === undefined) {
    throw new CliError(`There is no game ${options.game}. Create it with games create ${options.game}.`);
  }
  const { text, address, document } = createApiKey({ ...options, scopes: options.scope }, clock, ids);
  const written = await store.put(address, document, 0);
  if (written.kind !== 'written') {
    throw new CliError('NATS did not confirm the write, so the key is not shown. Create another one.');
  }
  note(`Created the key ${document.id}. It is shown only once:`);
  print(text);
}

async function revoke(store: ConfigStore, which: string, { clock, note }: CliContext): Promise<void> {
  const hash = hashApiKey(which);
  const entry = store.list('key').find(({ key, document }) => document.id === which || key === hash);
  if (entry === undefined) throw new CliError('There is no such key. List the keys with keys list.');
  if (entry.document.revokedAt !== null) {
    note(`The key was already revoked at ${iso(entry.document.revokedAt)}.`);
    return;
  }
  const { game, environment, kind, key } = entry;
  const document = { ...entry.document, revokedAt: clock.wallMs() };
  const written = await store.put({ game, environment, kind, key }, document, entry.revision);
  if (written.kind !== 'written') throw new CliError('NATS did not confirm the write. Try again.');
  note(`Revoked the key ${document.id} (${document.hint}).`);
}

function row({ game, environment, document }: ConfigEntry<'key'>): string[] {
  return [
    document.id,
    document.hint,
    game,
    environment,
    document.kind,
    document.tier,
    document.scopes.join(' '),
    iso(document.createdAt),
    document.revokedAt === null ? '' : iso(document.revokedAt),
  ];
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
