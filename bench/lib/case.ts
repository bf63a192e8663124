import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { runBench, type Bench } from './bench.ts';
import { describeMachine, machineLine } from './figures/machine.ts';
import { wrkMissing } from './load/wrk.ts';

/** One option of a case. Its key in the case's declaration is its name in the settings and in the results file. */
interface Declared<T> {
  flag: string;
  help: string;
  read: (text: string) => T;
  /** The default; options without one are left out of the settings. */
  initial?: T;
}

type Settings<Options> = {
  [Key in keyof Options]: Options[Key] extends Declared<infer T> ? T : never;
};

/** Options of every case that starts the service. */
export interface Place {
  /** Where the service's folder is made. */
  folder: string | undefined;
  /** Where results go. */
  output: string;
}

export interface Results {
  /** Part of the files' names; the case's name when left out. */
  name?: string;
  /** The settings of the run; the case's settings when left out. */
  settings?: object;
  /** The rest of the JSON file. */
  results: object;
  /** For the terminal. */
  tables: string;
  /** Name → SVG text. */
  pictures?: Readonly<Record<string, string>>;
}

interface Case<Options> {
  name: string;
  description: string;
  /** Whether the load generator wrk is needed, for these settings. */
  needsWrk?: (settings: Settings<Options>) => boolean;
  options: Options;
  /** Why these settings do not go together; undefined when they do. */
  check?: (settings: Settings<Options>) => string | undefined;
  /** Whether standard output is for the case's own output, for these settings. */
  reportsToStandardError?: (settings: Settings<Options>) => boolean;
  run: (bench: Bench, settings: Settings<Options> & Place, save: (results: Results) => void) => Promise<void>;
}

/** Makes a command of a case: reads its options, runs it, prints its tables and writes its results. */
export function defineCase<Options extends Readonly<Record<string, Declared<unknown>>>>(
  definition: Case<Options>,
): Command {
  const { name, description, needsWrk, options, check, reportsToStandardError, run } = definition;
  const command = commandOf(name, `${description}${needsWrk === undefined ? '' : ' Needs wrk.'}`, {
    ...options,
    ...PLACE,
  });
  return command.action(async () => {
    const settings = command.opts<Settings<Options> & Place>();
    const missing = needsWrk?.(settings) === true ? wrkMissing() : undefined;
    const problem = missing ?? check?.(settings);
    if (problem !== undefined) command.error(problem);
    const report = reportsToStandardError?.(settings) === true ? console.error : console.log;
    await runBench(report, async (bench) => {
      const startedAt = new Date();
      // The disk is timed before anything else uses it.
      const machine = describeMachine(settings.folder);
      const { output, ...given } = settings;
      await run(bench, settings, (saved) => {
        bench.report(['', machineLine(machine), saved.tables].join('\n'));
        const base = join(output, `${fileTime(startedAt)}-${saved.name ?? name}`);
        const json = {
          started_at: startedAt.toISOString(),
          machine,
          settings: saved.settings ?? given,
          ...saved.results,
        };
        writeResult(bench, output, `${base}.json`, `${JSON.stringify(json, null, 2)}\n`);
        for (const [picture, svg] of Object.entries(saved.pictures ?? {})) {
          writeResult(bench, output, `${base}-${picture}.svg`, svg);
        }
      });
    });
  });
}

/** A command with the declared options. */
export function commandOf(
  name: string,
  description: string,
  options: Readonly<Record<string, Declared<unknown>>>,
): Command {
  const command = new Command(name).description(description);
  for (const [key, declared] of Object.entries(options)) command.addOption(optionOf(key, declared));
  return command;
}

/** Writes one file of results and reports its path. @param folder made when missing */
export function writeResult({ report }: Bench, folder: string, path: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  report(`written: ${path}`);
}

/** A time as part of a file's name. */
export function fileTime(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(':', '');
}

/** Commander names a value after its flag; here the case's declaration does. */
class NamedOption extends Option {
  readonly #key: string;
  constructor(key: string, flag: string, help: string) {
    super(flag, help);
    this.#key = key;
  }
  override attributeName(): string {
    return this.#key;
  }
}

function optionOf(key: string, { flag, help, read, initial }: Declared<unknown>): Option {
  const option = new NamedOption(key, flag, help).argParser(read);
  return initial === undefined ? option : option.default(initial);
}

const reader =
  <T>(read: (text: string) => T) =>
  (flag: string, help: string, initial: T): Declared<T> => ({ flag, help, read, initial });

/** An option that is left out of the settings when it is not given. */
export const optional = <T>({ flag, help, read }: Declared<T>): Declared<T | undefined> => ({ flag, help, read });

export const text = reader(String);
/** A whole number of at least 1. */
export const count = reader(readCount);
/** Ascending whole numbers with commas between. */
export const counts = reader<readonly number[]>((given) => {
  const values = given.split(',').map(readCount);
  const isAscending = values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));
  if (!isAscending) throw new InvalidArgumentError('Give ascending numbers with commas between.');
  return values;
});
/** A length of time, in seconds. */
export const duration = reader((given) => {
  const seconds = parseDuration(given);
  if (seconds === undefined || seconds <= 0) throw new InvalidArgumentError('Give a time such as 30s, 10m or 1h.');
  return seconds;
});
/** Some of a list, with commas or (where the flag ends in `...>`) spaces between. */
export function some<T extends string>(flag: string, help: string, all: readonly T[]): Declared<readonly T[]> {
  let chosen: readonly T[] = [];
  // Commander reads each value apart.
  const read = (given: string) => (chosen = [...chosen, ...given.split(',').map((name) => oneOf(name, all))]);
  return { flag, help, read, initial: all };
}
export const choice = <T extends string>(flag: string, help: string, all: readonly [T, ...T[]]): Declared<T> => ({
  flag,
  help: `${help}: one of ${all.join(', ')}`,
  read: (given) => oneOf(given, all),
  initial: all[0],
});
/** A flag without a value. */
export const on = (flag: string, help: string): Declared<boolean> => ({ flag, help, read: () => true, initial: false });

function oneOf<T extends string>(given: string, all: readonly T[]): T {
  const found = all.find((one) => one === given);
  if (found === undefined) throw new InvalidArgumentError(`Allowed: ${all.join(', ')}.`);
  return found;
}

function readCount(given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return value;
}

/** Seconds per unit. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds of a text like `30s`, `10m`, `1h` or `45` (seconds); undefined for any other text. */
export function parseDuration(given: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(given);
  return match === null ? undefined : Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}

const PLACE = {
  folder: optional(text('--folder <path>', "where the service's folder is made (default: the system's temp)", '')),
  output: text('--output <folder>', 'where results go', 'bench/results'),
};
