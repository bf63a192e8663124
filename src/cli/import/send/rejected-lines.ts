import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../../cli-error.ts';

/** The file with rejected lines: one JSON object each, with the line's number, the reason and its text. */
export interface RejectedLines {
  /** False: the file has its maximum size, so the line is not in it. */
  add(line: number, reason: string, text: string): boolean;
  readonly bytes: number;
  close(): void;
}

export interface RejectedOptions {
  path: string;
  /** What earlier runs wrote to it and counted; the rest is written again. */
  keptBytes: number;
  mostBytes: number;
  /** Whether an earlier run had a line that did not fit: then none is added. */
  isFull: boolean;
}

/** Continues a file, or begins it again if the earlier one is gone. It comes into being with its first line. */
export function openRejectedLines({ path, keptBytes, mostBytes, ...options }: RejectedOptions): RejectedLines {
  let { isFull } = options;
  let file: number | undefined;
  let bytes = keptBytes;
  if (keptBytes > 0) attempt(open);

  function open(): number {
    mkdirSync(dirname(path), { recursive: true });
    file = openSync(path, constants.O_RDWR | constants.O_CREAT);
    if (fstatSync(file).size < keptBytes) bytes = 0;
    ftruncateSync(file, bytes);
    return file;
  }

  /** Whole: the system may write less than it was given, as before the disk is full. */
  function write(record: Buffer): void {
    const to = file ?? open();
    for (let done = 0; done < record.length;) {
      done += writeSync(to, record, done, record.length - done, bytes + done);
    }
    bytes += record.length;
  }

  function attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CliError(
        `Rejected lines cannot be written to ${path}: ${reason}. Name another file with --rejected, and run the ` +
          'command again to continue.',
      );
    }
  }

  return {
    add(line, reason, text) {
      if (isFull) return false;
      const record = Buffer.from(`${JSON.stringify({ line, reason, text })}\n`);
      isFull = bytes + record.length > mostBytes;
      if (isFull) return false;
      attempt(() => write(record));
      return true;
    },
    get bytes() {
      return bytes;
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}
