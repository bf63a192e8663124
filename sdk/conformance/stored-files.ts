import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function files(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Everything that a client has stored. */
export function storedText(folder: string): string {
  return files(folder)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/** The file of a client whose queue is one. */
export function queueFile(folder: string): string {
  return files(folder).find((file) => file.endsWith('.queue')) ?? assert.fail('there is no file of a queue');
}

/** What a client has stored of its state now. @returns a function that stores it again */
export function stateOf(folder: string): () => void {
  const file = files(folder).find((name) => /[./]state$|%2Fstate$/.test(name)) ?? assert.fail('there is no state');
  const content = readFileSync(file);
  return () => writeFileSync(file, content);
}
