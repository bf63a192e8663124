import { Command, InvalidArgumentError, Option } from 'commander';
import type { DeploymentDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { factsLevels, leastFactsBytes } from '../../../streams/facts/facts-levels.ts';
import {
  shapeOf,
  type ExistingStream,
  type ReshapeOptions,
  type StreamShape,
} from '../../../streams/log/jetstream/stream-shape.ts';
import type { JetStreamLog } from '../../../streams/log/jetstream/log-jetstream.ts';
import { REPLICAS } from '../../settings/config.ts';
import { readDeployment, SETTINGS } from '../../process/deployment.ts';
import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../streams/log/jetstream/limits.ts';
import { SETTINGS_LIMITS } from '../../settings/limits.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';

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
        await changeDeployment(store, streams, { ...changes, ...count }, context.clock);
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
  clock: Pick<Clock, 'timer'>,
): Promise<void> {
  const { lower = false, replicas, factsMaxBytes } = changes;
  if (replicas === undefined && factsMaxBytes === undefined) {
    throw new CliError('Name a setting; see deployment set --help.');
  }
  const entry = store.get(SETTINGS);
  if (entry === undefined) throw new CliError(NO_SETTINGS);
  const held = await streams.held();
  const before = shapeBefore(entry.document, held);
  const shape: Partial<StreamShape> = {
    ...(replicas === undefined ? {} : { replicas }),
    ...(factsMaxBytes === undefined ? {} : { factsMaxBytes }),
  };
  const document = { ...entry.document, ...shape };
  const after = readDeployment(document);
  if (after.kind === 'invalid') throw new CliError(after.message);
  if (!lower) refuseLower(before, after.deployment);
  refuseTooSmall(held, shape);
  await reshape(streams, shape, { lower: false });
  const written = await store.put(SETTINGS, document, entry.revision);
  if (written.kind === 'conflict') throw new CliError('Another process changed the deployment just now. Try again.');
  if (written.kind === 'unavailable') throw new CliError('NATS did not confirm the write. Try again.');
  if (lower) await lowerStreams(store, streams, shape, written.entry.revision, clock);
}

const NO_SETTINGS = 'The deployment has no settings yet. Start a process once, then try again.';

/** What the document says. If no process accepts its values, what the streams have, so that they can be replaced. */
function shapeBefore(document: DeploymentDocument, held: readonly ExistingStream[]): Partial<StreamShape> {
  const found = readDeployment(document);
  return found.kind === 'valid' ? found.deployment : shapeOf(held);
}

/**
 * Lowers the streams while the document keeps the revision of this command. A process that read the document before may
 * be raising a stream at this moment, so the streams are read again once its request has ended.
 */
async function lowerStreams(
  store: ConfigStore,
  streams: Streams,
  shape: Partial<StreamShape>,
  revision: number,
  clock: Pick<Clock, 'timer'>,
): Promise<void> {
  const still = (): boolean => store.get(SETTINGS)?.revision === revision;
  for (let attempt = 0; attempt < LOWER_ATTEMPTS; attempt++) {
    await reshape(streams, shape, { lower: true, still });
    await sleep(clock, JETSTREAM_LIMITS.logApiMs);
    if (!still()) return raiseToNewer(store, streams);
    if (fits(await streams.held(), shape)) return;
  }
  throw new CliError('The document is changed, but a process raises streams again. Run the command again.');
}

/** Attempts, each as long as one request to the broker may take. */
const LOWER_ATTEMPTS = 5;

/** A stream that was lowered just before the other change would have less than it until the next check of a process. */
async function raiseToNewer(store: ConfigStore, streams: Streams): Promise<void> {
  const document = store.get(SETTINGS)?.document;
  const newer = document === undefined ? undefined : readDeployment(document);
  if (newer?.kind === 'valid') {
    const { replicas, factsMaxBytes } = newer.deployment;
    await reshape(streams, { replicas, factsMaxBytes }, { lower: false });
  }
  throw new CliError('Another process changed the deployment meanwhile; its values apply. See deployment show.');
}

function fits(held: readonly ExistingStream[], { replicas, factsMaxBytes }: Partial<StreamShape>): boolean {
  return held.every(
    (stream) =>
      (replicas === undefined || stream.replicas === replicas) &&
      (factsMaxBytes === undefined || stream.name !== 'FACTS' || stream.maxBytes === factsMaxBytes),
  );
}

function refuseLower(before: Partial<StreamShape>, after: StreamShape): void {
  for (const [name, option] of OPTIONS) {
    const today = before[name];
    if (today === undefined || after[name] >= today) continue;
    throw new CliError(
      `${option} ${after[name]} is lower than today's ${today}. Add --lower if you are sure: ` +
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

/** A smaller FACTS must leave room for commands beside the owners' reserve. A full one may still be raised. */
function refuseTooSmall(held: readonly ExistingStream[], { factsMaxBytes }: Partial<StreamShape>): void {
  const facts = held.find(({ name }) => name === 'FACTS');
  if (facts === undefined || factsMaxBytes === undefined || isRaised(facts, factsMaxBytes)) return;
  const { commands } = factsLevels(factsMaxBytes);
  if (facts.sizeBytes < commands) return;
  throw new CliError(
    `--facts-max-bytes ${factsMaxBytes} lets commands fill ${Math.floor(commands)} bytes, but FACTS holds ` +
      `${facts.sizeBytes} bytes, so every write would be refused. It must be at least ${leastFactsBytes(facts.sizeBytes)}.`,
  );
}

/** -1: the stream has no limit. */
function isRaised({ maxBytes }: ExistingStream, factsMaxBytes: number): boolean {
  return maxBytes > 0 && factsMaxBytes >= maxBytes;
}

async function reshape(streams: Streams, shape: Partial<StreamShape>, options: ReshapeOptions): Promise<void> {
  try {
    await streams.reshape(shape, options);
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

function row({ name, replicas, maxBytes, sizeBytes }: ExistingStream): string[] {
  return [name, String(replicas), String(maxBytes), String(sizeBytes)];
}

function sizeOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < SETTINGS_LIMITS.factsSmallestBytes) {
    throw new InvalidArgumentError(
      `It must be a whole number of bytes, at least ${SETTINGS_LIMITS.factsSmallestBytes}.`,
    );
  }
  return value;
}
