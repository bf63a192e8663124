import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { ImportedReply, ImportHistory } from '../../../actors/vocabulary/import.ts';
import type { Reply } from '../../../actors/vocabulary/replies.ts';
import { systemClock } from '../../kernel/clock.ts';
import { fileFormat } from './file-formats.ts';
import { importFile } from './import-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'player-analytics-import-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LINES = 3;

it('counts as its own what an earlier run had decided when it was killed before its first save', async () => {
  const path = join(folder, 'events.ndjson');
  const line = (n: number) =>
    `{"external_id":"p","event_name":"e","event_id":"${n}","timestamp":"2024-01-01T00:00:00Z"}\n`;
  writeFileSync(path, Array.from({ length: LINES }, (_, n) => line(n)).join(''));
  const format = fileFormat('native', 'events');
  if (format === undefined) throw new Error('there is no format of events');
  const run = (send: (body: ImportHistory) => Promise<Reply>) =>
    importFile({
      path,
      importId: 'file',
      format,
      fileKind: 'ndjson',
      playerIdOf: () => '7d6f3f5e-6f0b-5f8e-9d2c-000000000001',
      statePath: join(folder, 'state.json'),
      rejectedPath: join(folder, 'rejected.ndjson'),
      fromStart: false,
      partitions: 1,
      partitionOf: () => 0,
      mayGoOn: () => Promise.resolve(),
      send,
      clock: systemClock,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
  const decided = Promise.withResolvers<void>();
  // The run that is killed: its lines are decided, and it never learns of it.
  void run(() => {
    decided.resolve();
    return new Promise<Reply>(() => {});
  });
  await decided.promise;
  const reply: ImportedReply = {
    kind: 'imported',
    importedTo: LINES,
    imported: 0,
    repeated: 0,
    earlier: LINES,
    rejected: [],
  };
  expect(await run(() => Promise.resolve(reply))).toMatchObject({
    done: true,
    counts: { imported: LINES, repeated: 0, rejected: 0 },
  });
});
