import { Registry } from 'prom-client';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import type { JetStreamLog } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { readSinkPosition } from '../../../../streams/positions/positions.ts';
import { SETTINGS } from '../../../process/deployment.ts';
import { createCommandClient, type CommandClient } from '../../../gateway/backend/command-client.ts';
import { sleep, type Clock } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { createLogger } from '../../../../core/kernel/logger.ts';
import { createBackendMetrics } from '../../../gateway/backend/metrics.ts';
import { CliError } from '../../cli-error.ts';
import type { CliContext } from '../../context.ts';
import type { ImportFileOptions } from '../import-file.ts';

export interface HistoryClientOptions {
  store: ConfigStore;
  log: JetStreamLog;
  context: Pick<CliContext, 'clock' | 'ids'>;
  game: string;
  environment: Environment;
}

type HistoryClient = Pick<ImportFileOptions, 'partitions' | 'partitionOf' | 'players' | 'send' | 'mayGoOn'>;

/** Connects to the owners of the deployment's partitions for an import, while `use` runs. */
export async function withHistoryClient(
  { game, environment, ...options }: HistoryClientOptions,
  use: (client: HistoryClient) => Promise<void>,
): Promise<void> {
  const { clock } = options.context;
  await withOwners(options, (client, partitions) =>
    use({
      partitions,
      partitionOf: (playerId) => client.partitionOf(playerId),
      players: playersOf(partitions, (playerId) => client.partitionOf(playerId), options.context.ids),
      send: (body, playerId) => client.send({ game, environment, receivedAt: clock.wallMs() }, playerId, body),
      mayGoOn: createSinkGate(options.log, clock),
    }),
  );
}

/** An id of each partition, for commands that concern no player. */
function playersOf(partitions: number, partitionOf: (id: string) => number, ids: Pick<Ids, 'uuidv4'>): string[] {
  const found = new Map<number, string>();
  while (found.size < partitions) {
    const id = ids.uuidv4();
    found.set(partitionOf(id), id);
  }
  return Array.from({ length: partitions }, (_, partition) => found.get(partition) ?? '');
}

export interface OwnersOptions {
  store: ConfigStore;
  log: JetStreamLog;
  context: Pick<CliContext, 'clock' | 'ids'>;
}

/** Connects to the owners of the deployment's partitions, as a gateway does, while `use` runs. */
export async function withOwners(
  { store, log, context }: OwnersOptions,
  use: (client: CommandClient, partitions: number) => Promise<void>,
): Promise<void> {
  const { clock, ids } = context;
  const partitions = store.get(SETTINGS)?.document.partitions;
  if (partitions === undefined) throw new CliError('The deployment has no settings yet. Start the service once.');
  const client = createCommandClient({
    log,
    clock,
    gateway: `cli-${ids.uuidv4()}`,
    partitions,
    configRevision: () => store.revision,
    logger: createLogger('silent', 'cli'),
    metrics: createBackendMetrics([new Registry()]),
  });
  try {
    await use(client, partitions);
  } finally {
    client.close();
  }
}

/** Waits while ClickHouse is far behind the log: history must not delay live rows without bound. */
function createSinkGate(log: JetStreamLog, clock: Clock): () => Promise<void> {
  let checkedMs = -Infinity;
  let checking: Promise<void> | undefined;

  async function lag(): Promise<number> {
    const [bounds, position] = await Promise.all([log.info('FACTS'), readSinkPosition(log, 'clickhouse')]);
    return position === undefined ? 0 : bounds.lastSequence - position.sequence;
  }

  async function check(): Promise<void> {
    if ((await lag()) > IMPORT_SEND_LIMITS.importLagRecords) {
      while ((await lag()) > IMPORT_SEND_LIMITS.importLagRecords / 2)
        await sleep(clock, IMPORT_SEND_LIMITS.importRetryMs);
    }
    checkedMs = clock.monotonicMs();
    checking = undefined;
  }

  return async () => {
    if (clock.monotonicMs() - checkedMs < IMPORT_LIMITS.importSaveMs) return;
    await (checking ??= check());
  };
}
