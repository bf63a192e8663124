import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { JetStreamLog } from '../../../streams/log/jetstream/log-jetstream.ts';
import { exchangeOf as rateFor } from '../../../streams/config/exchange-rates.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { lockName } from '../../local/data-dir-lock.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { checkFile, newCheck } from '../import/check/check-file.ts';
import { reportLines } from '../import/check/report-lines.ts';
import { createEventIds, type EventIds } from '../import/send/event-ids.ts';
import { storedDigests, whenSunk } from '../import/send/stored-ids.ts';
import { queryRows } from '../export/clickhouse-rows.ts';
import { fittedTexts } from '../import/files/fitted-lines.ts';
import { withHistoryClient } from '../import/send/history-client.ts';
import {
  fileFormat,
  IMPORT_KINDS,
  IMPORT_SOURCES,
  type ImportKind,
  type ImportSource,
} from '../import/files/file-formats.ts';
import type { FileFormat } from '../import/files/file-format.ts';
import { importChoices } from '../import/import-choices.ts';
import { importFile, type ImportFileOptions } from '../import/import-file.ts';
import { readImportSource } from '../import/files/import-source.ts';
import { knownImports } from '../import/import-state.ts';
import { FILE_KINDS, fileKindOf, stateOf, type FileKind } from '../import/files/open-source.ts';
import type { ExchangeOf } from '../import/files/purchase-lines.ts';
import { surveyFiles } from '../import/survey/survey.ts';
import { createPlayerIds } from '../import/send/player-ids.ts';
import type { ReadOptions } from '../import/files/read-history.ts';
import { grouped, progressLine, type Progress } from '../import/progress-line.ts';
import { table } from '../table.ts';

interface ImportOptions {
  game: string;
  environment: Environment;
  from: ImportSource;
  format?: FileKind;
  rejected?: string;
  dryRun?: true;
  fit?: true;
  fromStart?: true;
  purchase?: string[];
  zone?: string;
  join: boolean;
}

/** A third of the share of a process without it: 10 is a tenth, and starves the command on a busy machine. */
const NICE = 5;

/** Exit codes beside 0 and 1: some lines were rejected or quarantined; the import was interrupted. */
const EXIT_REJECTED = 2;
const EXIT_INTERRUPTED = 130;

/** `import events|players|purchases FILE…` */
export function importCommand(context: CliContext): Command {
  const command = new Command('import').description(
    'Import history from files: each line once, at its own time. It triggers no campaign and no webhook.',
  );
  for (const kind of IMPORT_KINDS) {
    command
      // `import --from firebase FILE` needs no word for what most files hold.
      .command(kind, { isDefault: kind === 'events' })
      .description(
        `Import ${kind}. Exit code 2 if lines were rejected. Run it again to continue after an interruption.`,
      )
      .argument('<file...>', '.ndjson, .jsonl, .json, .csv or .parquet; all but the last also with .gz')
      .requiredOption('--game <id>', 'game of the history')
      .addOption(new Option('--environment <environment>').choices(['live', 'test']).default('live'))
      .addOption(new Option('--from <product>', 'whose export it is').choices(IMPORT_SOURCES).default('native'))
      .addOption(new Option('--format <format>', 'of files whose name does not tell it').choices(FILE_KINDS))
      .option('--rejected <file>', 'where rejected lines go, for a single file (default: in DATA_DIR/imports)')
      .option('--fit', 'store what is too large cut to fit, instead of sending its event to quarantine')
      .option(
        '--purchase <event[=property]>',
        'an event that is a purchase, with its amount; may be repeated',
        gathered,
      )
      .option('--zone <zone>', "of Mixpanel: the project's time zone, if the project is from before 2023")
      .option('--no-join', 'keep anonymous ids as players of their own')
      .option('--dry-run', 'read and check everything, show what is kept of a line, and import nothing')
      .option('--from-start', 'read from the first line again; lines that are imported stay as they are')
      .action((files: string[], options: ImportOptions) => runImport(kind, files, options, context));
  }
  return command;
}

async function runImport(
  kind: ImportKind,
  files: string[],
  options: ImportOptions,
  context: CliContext,
): Promise<void> {
  const format = fileFormat(options.from, kind);
  if (format === undefined) throw new CliError(`There is no import of ${kind} from ${options.from}.`);
  if (options.rejected !== undefined && files.length > 1) throw new CliError('--rejected needs a single file.');
  // Live traffic of the same machine goes first.
  setPriority(NICE);
  // Before anything is imported: a later file must not fail by its name.
  const kinds = files.map((path) => kindOf(path, options));
  await context.withDeployment(async (store, log) => {
    const namespace = namespaceOf(store, options.game);
    const playerIdOf = createPlayerIds(namespace, options.environment);
    const exchangeOf: ExchangeOf = (currency, atMs) => rateFor(store, options.game, currency, atMs);
    const nowMs = context.clock.wallMs();
    const choices = importChoices(options);
    const surveyed = files.map((path, place) => ({ path, kind: kinds[place] ?? 'ndjson' }));
    const fit = options.fit === true;
    const onLines = surveyProgress(context.clock);
    const survey = await surveyFiles(surveyed, format, { nowMs, exchangeOf, choices, fit, onLines });
    if (options.dryRun === true) {
      const reading = { format, importId: '', nowMs, fit, playerIdOf, exchangeOf, survey, choices };
      await checkFiles(files, kinds, reading, context);
      return;
    }
    await withHistoryClient({ store, log, context, ...options }, async (client) => {
      const rows: string[][] = [];
      let rejected = 0;
      const stop = abortedBySignals();
      const folder = join(context.dataDir, 'imports');
      if (options.rejected !== undefined) await requireOtherFile(files, options.rejected);
      // Two commands would not see each other's ids.
      if (kind === 'events') await lockFiles(files.join(', '), [`the events of ${namespace} ${options.environment}`]);
      const openEventIds = createIdOpener(log, context, options, format.ids);
      for (const [place, path] of files.entries()) {
        if (stop.aborted) break;
        const source = await readImportSource({
          path,
          scope: [options.game, options.environment, kind, options.from],
          known: knownImports(folder, namespace),
        });
        const name = importName(path, source.importId);
        const rejectedPath = resolve(options.rejected ?? join(folder, `${name}.rejected.ndjson`));
        const statePath = resolve(folder, `${name}.json`);
        const release = await lockFiles(path, [statePath, rejectedPath]);
        const { counts, done, fitted, isOld, unlisted } = await importFile({
          ...client,
          path,
          source,
          namespace,
          format,
          fileKind: kinds[place] ?? 'ndjson',
          fit,
          survey,
          fileNumber: place,
          choices,
          playerIdOf,
          exchangeOf,
          openEventIds: kind === 'events' ? openEventIds : undefined,
          statePath,
          rejectedPath,
          fromStart: options.fromStart === true,
          clock: context.clock,
          signal: stop,
          onProgress: (progress) => show(path, progress),
        });
        release();
        if (process.stderr.isTTY) process.stderr.write('\n');
        if (unlisted > 0) {
          context.note(`${grouped(unlisted)} rejected lines are not in ${rejectedPath}: it has its maximum size.`);
        }
        for (const text of fittedTexts(fitted)) context.note(`${basename(path)}: ${text}`);
        rejected += counts.rejected + fitted.quarantined;
        const numbers = [counts.imported, counts.repeated, counts.rejected].map(grouped);
        const state = isOld ? 'done before' : done ? 'done' : 'interrupted';
        // An earlier run may have had another file for rejected lines.
        const shown = counts.rejected > 0 && (!isOld || existsSync(rejectedPath)) ? rejectedPath : '';
        rows.push([path, state, ...numbers, shown]);
      }
      context.print(table(['file', 'state', 'imported', 'repeated', 'rejected', 'rejected lines'], rows));
      if (stop.aborted) process.exitCode = EXIT_INTERRUPTED;
      else if (rejected > 0) process.exitCode = EXIT_REJECTED;
    });
  });
}

async function checkFiles(
  files: readonly string[],
  kinds: readonly FileKind[],
  options: Omit<ReadOptions, 'fileKind'>,
  context: CliContext,
): Promise<void> {
  let faulty = 0;
  const state = newCheck();
  for (const [place, path] of files.entries()) {
    const report = await checkFile(path, { ...options, fileNumber: place, fileKind: kinds[place] ?? 'ndjson' }, state);
    for (const line of reportLines(path, report)) context.print(line);
    faulty += report.faulty + report.fitted.quarantined;
  }
  if (faulty > 0) process.exitCode = EXIT_REJECTED;
}

/** Opens the ids of the game with the first file, and keeps them for the others. */
function createIdOpener(
  log: JetStreamLog,
  context: CliContext,
  { game, environment }: ImportOptions,
  ids: FileFormat['ids'],
): NonNullable<ImportFileOptions['openEventIds']> {
  let opened: Promise<EventIds> | undefined;
  let whenFileDecided: () => Promise<void>;
  return (whenDecided) => {
    whenFileDecided = whenDecided;
    return (opened ??= createEventIds({
      ids,
      digests: storedDigests(queryRows(context.clickhouse()), { game, environment, ids }),
      whenConfirmed: async () => {
        await whenFileDecided();
        await whenSunk(log, context.clock);
      },
    }));
  };
}

function kindOf(path: string, { format, from }: ImportOptions): FileKind {
  // Files of Segment and Unity are called `….gz`, and those of other products hold lines of JSON too.
  const kind = format ?? fileKindOf(path) ?? (from === 'native' ? undefined : 'ndjson');
  if (kind === undefined) throw new CliError(`The name of ${path} does not tell its format. Name it with --format.`);
  return kind;
}

const gathered = (value: string, earlier: string[] = []): string[] => [...earlier, value];

function namespaceOf(store: ConfigStore, game: string): string {
  const found = store.get(gameAddress(game))?.document;
  if (found === undefined) throw new CliError(`There is no game ${game}; see games list.`);
  return found.namespace;
}

/** Begins the names of what is kept of an import. A long name would be too long with its endings. */
function importName(path: string, importId: string): string {
  const name = basename(path);
  return Buffer.byteLength(name) > NAME_BYTES ? importId : `${name}-${importId.slice(0, 12)}`;
}

/** File systems allow 255, and the endings take 30. */
const NAME_BYTES = 200;

/** Lets no other command write the same files. The system releases them if this process is killed. */
async function lockFiles(path: string, written: readonly string[]): Promise<() => void> {
  const releases: (() => void)[] = [];
  for (const file of written) {
    const lock = await lockName(`import ${file}`);
    if (lock.kind === 'held') {
      for (const release of releases) release();
      throw new CliError(`Another command imports ${path} now, or writes to ${file}. Wait until it has ended.`);
    }
    releases.push(lock.release);
  }
  return () => {
    for (const release of releases) release();
  };
}

/** A file for rejected lines is written over. */
async function requireOtherFile(files: readonly string[], rejected: string): Promise<void> {
  if (!existsSync(rejected)) return;
  const written = await stateOf(rejected);
  for (const path of files) {
    const { dev, ino } = await stateOf(path);
    if (dev === written.dev && ino === written.ino) throw new CliError(`--rejected would write over ${path} itself.`);
  }
}

function abortedBySignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Shows how far the first pass is, which counts no lines as imported. */
function surveyProgress(clock: CliContext['clock']): (path: string, lines: number, share: number | undefined) => void {
  const begunMs = clock.monotonicMs();
  let savedMs = begunMs;
  return (path, lines, share) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - savedMs < SURVEY_SHOWN_EVERY_MS) return;
    savedMs = nowMs;
    const progress = { lines, linesOfRun: lines, elapsedMs: nowMs - begunMs, share, rejected: 0 };
    show(`first pass of ${basename(path)}`, progress);
  };
}

const SURVEY_SHOWN_EVERY_MS = 500;

let shownMs = -Infinity;
const LINES_EVERY_MS = 10_000;

/** One line that is written over on a terminal, and a line now and then elsewhere. */
function show(path: string, progress: Progress): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001B[K${basename(path)} ${progressLine(progress, true)}`);
    return;
  }
  if (progress.elapsedMs - shownMs < LINES_EVERY_MS && progress.share !== 1) return;
  shownMs = progress.elapsedMs;
  process.stderr.write(`${basename(path)}: ${progressLine(progress, false)}\n`);
}
