import { InvalidArgumentError } from 'commander';
import { parseDuration } from './parse-duration.ts';

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
