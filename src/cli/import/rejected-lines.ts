import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file with rejected lines: one JSON object each, with the line's number, the reason and its text. */
export interface RejectedLines {
  add(line: number, reason: string, text: string): void;
  readonly bytes: number;
  close(): void;
}

/** Continues a file at `keptBytes`. It comes into being with its first line. */
export function openRejectedLines(path: string, keptBytes: number): RejectedLines {
  let file: number | undefined;
  let bytes = keptBytes;
  if (keptBytes > 0) open();

  function open(): number {
    mkdirSync(dirname(path), { recursive: true });
    file = openSync(path, keptBytes > 0 ? 'r+' : 'w');
    ftruncateSync(file, bytes);
    return file;
  }

  return {
    add(line, reason, text) {
      const record = Buffer.from(`${JSON.stringify({ line, reason, text })}\n`);
      bytes += writeSync(file ?? open(), record, 0, record.length, bytes);
    },
    get bytes() {
      return bytes;
    },
    close() {
      if (file !== undefined) closeSync(file);
    },
  };
}
