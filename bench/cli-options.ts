import { InvalidArgumentError, type Command } from 'commander';
import { wrkMissing } from './load/wrk.ts';
import { parseDuration } from './parse-duration.ts';

/** Options of every bench that runs the service. */
export interface PlaceFlags {
  /** Where the service's folder is made. */
  folder?: string;
  /** Where results go. */
  output: string;
}

/** Adds the options above. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option('--folder <path>', "where the service's folder is made: the disk that is measured (default: system temp)")
    .option('--output <folder>', 'where results go', 'bench/results');
}

/** Ends a command, with the way to get it, when the load generator it needs is not there. */
export function requireWrk(command: Command): void {
  const missing = wrkMissing();
  if (missing !== undefined) command.error(missing);
}

/** Reads an option that is a length of time, in seconds. */
export function duration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined || seconds <= 0) throw new InvalidArgumentError('Give a time such as 30s, 10m or 1h.');
  return seconds;
}

/** Reads an option that is a whole number of at least 1. */
export function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return value;
}

/** Reads an option that is several ascending whole numbers with commas between. */
export function counts(text: string): number[] {
  const values = text.split(',').map(count);
  const isAscending = values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));
  if (!isAscending) throw new InvalidArgumentError('Give ascending numbers with commas between.');
  return values;
}
