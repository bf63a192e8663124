import { Command, InvalidArgumentError, Option } from 'commander';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { HeldStream, StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import type { JetStreamLog } from '../../streams/log/log-jetstream.ts';
import { LEAST_FACTS_BYTES, REPLICAS } from '../config.ts';
import { deployedShape, SETTINGS } from '../deployment.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';
import { table } from './table.ts';

type Streams = Pick<JetStreamLog, 'held' | 'reshape'>;

export interface DeploymentChanges {
  replicas?: number;
  factsMaxBytes?: number;
  /** Whether a value may be lower than today's. */
  lower?: boolean;
}

/** `deployment show|set` */
export function deploymentCommand(context: CliContext): Command {
  const command = new Command('deployment').description(
    'Show or change what the deployment is, for all of its processes. Only this command lowers replicas and sizes.',
  );
  command
    .command('show')
    .description("Print the deployment's settings, and each stream as the broker holds it.")
    .action(() =>
      context.withDeployment(async (store, streams) => {
        const held = await streams.held();
        context.print(settingsTable(store));
        context.print('');
        context.print(table(['stream', 'replicas', 'maximum bytes', 'bytes'], held.map(row)));
      }),
    );
  command
    .command('set')
    .description(
      'Change the deployment and its streams. Running processes follow at once. The number of partitions cannot change.',
    )
    .addOption(new Option('--replicas <count>', 'brokers that store each record').choices(REPLICAS))
    .option('--facts-max-bytes <bytes>', 'maximum size of FACTS; at it, writes are refused', sizeOf)
    .option('--lower', 'allow lower values: fewer copies survive the loss of a broker, or fewer facts fit')
    .action(({ replicas, ...changes }: Omit<DeploymentChanges, 'replicas'> & { replicas?: string }) =>
      context.withDeployment(async (store, streams) => {
        const count = replicas === undefined ? {} : { replicas: Number(replicas) };
        await changeDeployment(store, streams, { ...changes, ...count });
        context.print(settingsTable(store));
      }),
    );
  return command;
}

/**
 * Changes the deployment's document and its streams. Raised values reach the streams before the document, lowered ones
 * after it: processes raise streams that have less than the document, so a command that fails in between lowers nothing
 * by half, and may be repeated.
 */
export async function changeDeployment(
  store: ConfigStore,
  streams: Streams,
  changes: DeploymentChanges,
): Promise<void> {
  const { lower = false, replicas, factsMaxBytes } = changes;
  if (replicas === undefined && factsMaxBytes === undefined) {
    throw new CliError('Name a setting; see deployment set --help.');
  }
  const entry = store.get(SETTINGS);
  const before = entry === undefined ? undefined : deployedShape(entry.document);
  if (entry === undefined || before === undefined) {
    throw new CliError('The deployment has no settings yet. Start a process of this version once, then try again.');
  }
  const shape: Partial<StreamShape> = {
    ...(replicas === undefined ? {} : { replicas }),
    ...(factsMaxBytes === undefined ? {} : { factsMaxBytes }),
  };
  const after: StreamShape = { ...before, ...shape };
  if (!lower) refuseLower(before, after);
  await refuseTooSmall(streams, after);
  await reshape(streams, shape, false);
  const written = await store.put(SETTINGS, { ...entry.document, ...after }, entry.revision);
  if (written.kind === 'conflict') throw new CliError('Another process changed the deployment just now. Try again.');
  if (written.kind === 'unavailable') throw new CliError('NATS did not confirm the write. Try again.');
  if (lower) await reshape(streams, shape, true);
}

function refuseLower(before: StreamShape, after: StreamShape): void {
  for (const [name, option] of OPTIONS) {
    if (after[name] >= before[name]) continue;
    throw new CliError(
      `${option} ${after[name]} is lower than today's ${before[name]}. Add --lower if you are sure: ` +
        (name === 'replicas'
          ? 'with fewer copies, the loss of a broker may lose acknowledged writes.'
          : 'when FACTS is full, every write is refused with 503.'),
    );
  }
}

const OPTIONS = [
  ['replicas', '--replicas'],
  ['factsMaxBytes', '--facts-max-bytes'],
] as const;

async function refuseTooSmall(streams: Streams, { factsMaxBytes }: StreamShape): Promise<void> {
  const facts = (await streams.held()).find(({ name }) => name === 'FACTS');
  if (facts === undefined || facts.sizeBytes < factsMaxBytes) return;
  throw new CliError(
    `FACTS holds ${facts.sizeBytes} bytes; --facts-max-bytes ${factsMaxBytes} must be more, or every write is refused.`,
  );
}

async function reshape(streams: Streams, shape: Partial<StreamShape>, lower: boolean): Promise<void> {
  try {
    await streams.reshape(shape, { lower });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `The broker refuses the change: ${reason}. Streams that were changed already keep it; deployment show lists them.`,
    );
  }
}

function settingsTable(store: ConfigStore): string {
  const document = store.get(SETTINGS)?.document;
  const shown = (value: number | undefined): string => (value === undefined ? 'not recorded yet' : String(value));
  return table(
    ['setting', 'value'],
    [
      ['partitions', shown(document?.partitions)],
      ['replicas', shown(document?.replicas)],
      ['facts-max-bytes', shown(document?.factsMaxBytes)],
    ],
  );
}

function row({ name, replicas, maxBytes, sizeBytes }: HeldStream): string[] {
  return [name, String(replicas), String(maxBytes), String(sizeBytes)];
}

function sizeOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < LEAST_FACTS_BYTES) {
    throw new InvalidArgumentError(`It must be a whole number of bytes, at least ${LEAST_FACTS_BYTES}.`);
  }
  return value;
}
