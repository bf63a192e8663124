import { Argument, Command } from 'commander';
import { READERS, readerGrants } from '../../../clickhouse-schema/hidden-columns.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { readConfirmedPosition } from '../../../clickhouse-schema/queries/confirmed-position.ts';
import { removeFactsAfter } from '../../../clickhouse-schema/queries/repair.ts';
import { createSnapshotSource } from '../../../clickhouse-schema/queries/snapshot-source.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Log } from '../../../streams/log/log.ts';
import {
  type CoverageSource,
  partitionCoverage,
  type PartitionCoverage,
  repairFacts,
  streamCoverage,
  type StreamCoverage,
} from '../../../streams/sinks/clickhouse/coverage.ts';
import { SETTINGS } from '../../process/deployment.ts';
import { SINK_LIMITS } from '../../../streams/sinks/clickhouse/limits.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';

/** `clickhouse check|repair` */
export function clickhouseCommand(context: CliContext): Command {
  const command = new Command('clickhouse').description(
    'Compare what the log says that ClickHouse holds with what it holds, and write again what it lost.',
  );
  command
    .command('check')
    .description('Print how far ClickHouse holds each stream and partition. Exit code 1 if it has lost rows.')
    .action(() =>
      withClickhouse(context, async (store, log, source) => {
        const facts = await streamCoverage(log, source, 'FACTS');
        const streams = [facts, await streamCoverage(log, source, 'RECORDS')];
        const partitions = await coverageOfPartitions(store, log, source);
        context.print(table(['stream', 'log from', 'written to', 'in ClickHouse to', 'state'], streams.map(streamRow)));
        context.print('');
        context.print(
          table(['partition', 'snapshots to', 'players', 'in ClickHouse', 'state'], partitions.map(partitionRow)),
        );
        if ([...streams, ...partitions].some(({ isLost }) => isLost)) {
          throw new CliError('ClickHouse has lost rows. Restore a newer backup, or run clickhouse repair.');
        }
      }),
    );
  command
    .command('repair')
    .description('Have the sink write again what ClickHouse has lost of FACTS, if the log still holds all of it.')
    .action(() =>
      withClickhouse(context, async (_, log, source, removeAfter) => {
        const outcome = await repairFacts(log, source, removeAfter);
        switch (outcome.kind) {
          case 'whole':
            context.note('ClickHouse holds what it noted. Nothing was changed.');
            break;
          case 'repaired':
            context.print(`${outcome.from}-${outcome.to}`);
            context.note(
              'The sink writes these records of FACTS again. Run clickhouse check when sink_lag_records is 0.',
            );
            break;
          case 'taken':
            throw new CliError('The sink stored its position at the same time. Run the command again.');
          case 'gap':
            throw new CliError(
              `ClickHouse holds FACTS up to ${outcome.confirmedTo}, and the log begins at ${outcome.firstSequence}: the records ` +
                'between them are in neither. Restore a newer backup.',
            );
        }
      }),
    );
  command
    .command('grants')
    .description('Print the statements that create an account for readers, which sees no hidden columns.')
    .addArgument(new Argument('<account>', 'analyst: for people and dashboards; console: for its SQL').choices(READERS))
    .option('--database <name>', 'default: CLICKHOUSE_DATABASE')
    .option('--password <text>', 'default: a placeholder that you replace')
    .action((account: (typeof READERS)[number], { database, password = '…' }: GrantsOptions) => {
      const statements = readerGrants(account, database ?? context.clickhouse().database, password);
      context.print(statements.map((statement) => `${statement};`).join('\n'));
    });
  return command;
}

interface GrantsOptions {
  database?: string;
  password?: string;
}

type RemoveAfter = Parameters<typeof repairFacts>[2];

function withClickhouse(
  context: CliContext,
  use: (store: ConfigStore, log: Log, source: CoverageSource, removeAfter: RemoveAfter) => Promise<void>,
): Promise<void> {
  return context.withDeployment(async (store, log) => {
    const address = context.clickhouse();
    const client = openClient(address, 'cli', SINK_LIMITS.eraseRequestMs);
    const snapshots = createSnapshotSource(address);
    try {
      await use(
        store,
        log,
        {
          confirmedTo: (stream) => readConfirmedPosition(client, stream),
          countPlayers: (partition) => snapshots.countPlayers(partition),
        },
        (sequence, createdMs) => removeFactsAfter(client, sequence, createdMs),
      );
    } finally {
      await client.close();
    }
  });
}

async function coverageOfPartitions(
  store: ConfigStore,
  log: Log,
  source: CoverageSource,
): Promise<PartitionCoverage[]> {
  const partitions = store.get(SETTINGS)?.document.partitions ?? 0;
  const found: PartitionCoverage[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    found.push(await partitionCoverage(log, source, partition));
  }
  return found;
}

function streamRow({ stream, firstSequence, position, confirmedTo, isLost }: StreamCoverage): string[] {
  const state = isLost ? 'LOST ROWS' : position?.confirmedTo === undefined ? 'not noted yet' : 'whole';
  return [stream, String(firstSequence), String(position?.sequence ?? 0), String(confirmedTo), state];
}

function partitionRow({ partition, mark, players, isLost }: PartitionCoverage): string[] {
  const state = isLost ? 'LOST ROWS' : mark === undefined ? 'no mark yet' : 'whole';
  return [String(partition), String(mark?.coveredTo ?? 0), String(mark?.players ?? ''), String(players), state];
}
