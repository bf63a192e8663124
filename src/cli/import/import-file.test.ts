import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportedReply, ImportHistory } from '../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { mountSmallFileSystem } from '../../../test/support/servers/small-file-system.ts';
import { CliError } from '../cli-error.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { fileFormat } from './files/file-formats.ts';
import { importFile, type ImportFileOptions } from './import-file.ts';
import { readImportSource } from './files/import-source.ts';
import { knownImports } from './import-state.ts';
import type { Progress } from './progress-line.ts';
import { openRejectedLines } from './send/rejected-lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'player-analytics-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LINES = 3;
const SCOPE = ['demo', 'live', 'events', 'native'];
const line = (n: number, name = 'e') =>
  `{"external_id":"p","event_name":"${name}","event_id":"${n}","timestamp":"2024-01-01T00:00:00Z"}\n`;
const history = Array.from({ length: LINES }, (_, n) => line(n)).join('');

/** An owner that decides each line once. */
function owner() {
  const decided: number[] = [];
  let to = 0;
  return {
    decided,
    send: (body: ImportHistory): Promise<Reply> => {
      const lines = body.players.flatMap((player) => player.lines);
      const fresh = lines.filter((one) => one > to);
      decided.push(...fresh);
      to = Math.max(to, body.to);
      const [imported, earlier] = [fresh.length, lines.length - fresh.length];
      const reply: ImportedReply = { kind: 'imported', importedTo: to, imported, repeated: 0, earlier, rejected: [] };
      return Promise.resolve(reply);
    },
  };
}

async function optionsOf(path: string, more: Partial<ImportFileOptions>): Promise<ImportFileOptions> {
  const format = fileFormat('native', 'events');
  if (format === undefined) throw new Error('there is no format of events');
  return {
    path,
    source: await readImportSource({ path, scope: SCOPE, known: knownImports(join(folder, 'states'), 'game') }),
    namespace: 'game',
    format,
    fileKind: 'ndjson',
    playerIdOf: () => '7d6f3f5e-6f0b-5f8e-9d2c-000000000001',
    exchangeOf: () => undefined,
    statePath: join(folder, 'states', 'state.json'),
    rejectedPath: join(folder, 'rejected.ndjson'),
    fromStart: false,
    partitions: 1,
    partitionOf: () => 0,
    mayGoOn: () => Promise.resolve(),
    players: ['7d6f3f5e-6f0b-5f8e-9d2c-000000000001'],
    openEventIds: undefined,
    send: owner().send,
    clock: systemClock,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...more,
  };
}

function fileWith(text: string | Buffer, name = 'events.ndjson'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('counts as its own what an earlier run had decided when it was killed before its first save', async () => {
  const path = fileWith(history);
  const decided = Promise.withResolvers<void>();
  // The run that is killed: its lines are decided, and it never learns of it.
  const first = await optionsOf(path, {
    send: () => {
      decided.resolve();
      return new Promise<Reply>(() => {});
    },
  });
  void importFile(first);
  await decided.promise;
  const reply: ImportedReply = {
    kind: 'imported',
    importedTo: LINES,
    imported: 0,
    repeated: 0,
    earlier: LINES,
    rejected: [],
  };
  expect(await importFile(await optionsOf(path, { send: () => Promise.resolve(reply) }))).toMatchObject({
    done: true,
    counts: { imported: LINES, repeated: 0, rejected: 0 },
  });
});

it.each([
  ['ndjson', history],
  ['csv', `external_id,event_name,timestamp\n${'p,e,2024-01-01T00:00:00Z\n'.repeat(LINES)}`],
] as const)('shows the lines of %s that it read without the names of columns', async (fileKind, text) => {
  const shown: number[] = [];
  const onProgress = ({ lines }: Progress) => shown.push(lines);
  await importFile(await optionsOf(fileWith(text, `events.${fileKind}`), { fileKind, onProgress }));
  expect(shown.at(-1)).toBe(LINES);
});

describe('a file that is not as it was', () => {
  it.each([
    ['grows', (path: string) => appendFileSync(path, line(9))],
    [
      'is replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, history.replaceAll('"e"', '"f"'));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('is not imported if it %s after it was read for its id', async (_, change) => {
    const path = fileWith(history);
    const { decided, send } = owner();
    const options = await optionsOf(path, { send });
    change(path);
    await expect(importFile(options)).rejects.toThrow(`${path} changed while it was read.`);
    expect(decided).toEqual([]);
  });

  it('is refused if it has grown since an earlier run and has events without ids, whatever its name', async () => {
    const noIds = history.replaceAll(/"event_id":"\d",/g, '');
    await importFile(await optionsOf(fileWith(noIds), {}));
    const path = fileWith(noIds + line(9), 'other.ndjson');
    const size = noIds.length;
    await expect(optionsOf(path, {})).rejects.toThrow(
      `The first ${size} bytes of ${path} were imported before, and would count twice. Import what was added: ` +
        `\`tail -c +${size + 1}\``,
    );
    const state = join(folder, 'states', 'state.json');
    writeFileSync(state, readFileSync(state, 'utf8').replace('"done":true', '"done":false'));
    await expect(optionsOf(path, {})).rejects.toThrow(`Finish the earlier import with a file of \`head -c ${size}\`.`);
    // What was added, and the same lines for another game.
    await optionsOf(fileWith(line(9), 'rest.ndjson'), {});
    const known = knownImports(join(folder, 'states'), 'game');
    expect((await readImportSource({ path, scope: ['other'], known })).sizeBytes).toBe(statSync(path).size);
  });

  it('is refused if it can be read only once', async () => {
    await expect(optionsOf('/dev/null', {})).rejects.toThrow('/dev/null is no regular file');
    await expect(optionsOf(folder, {})).rejects.toThrow(`${folder} is a folder; name the files in it.`);
  });

  it('has its lines up to a broken end imported', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => line(n)).join('');
    const whole = gzipSync(many);
    const path = fileWith(whole.subarray(0, whole.length - 20), 'events.ndjson.gz');
    const { decided, send } = owner();
    await expect(importFile(await optionsOf(path, { send }))).rejects.toThrow(`${path}: unexpected end of file`);
    expect(decided.length).toBeGreaterThan(1_000);
    const state: unknown = JSON.parse(readFileSync(join(folder, 'states', 'state.json'), 'utf8'));
    expect(state).toMatchObject({ done: false, counts: { imported: decided.length } });
  });
});

describe('events with ids', () => {
  /** The ids that a deployment has, of all files. */
  function deployment(held: string[] = []) {
    const openEventIds: ImportFileOptions['openEventIds'] = async (whenDecided) => {
      await whenDecided();
      return {
        async repeatedAmong(lines) {
          const repeated = new Set<number>();
          for (const [at, { eventId }] of lines.entries()) {
            if (held.includes(eventId)) repeated.add(at);
            else held.push(eventId);
          }
          return repeated;
        },
      };
    };
    return { held, openEventIds };
  }

  it('count once, in a file and over files', async () => {
    const { openEventIds, held } = deployment(['1']);
    const { decided, send } = owner();
    const path = fileWith(history + line(2) + line(7) + line(0));
    const { counts } = await importFile(await optionsOf(path, { openEventIds, send }));
    expect([decided, counts]).toEqual([[1, 3, 5], { imported: 3, repeated: 3, rejected: 0 }]);
    expect(held).toEqual(['1', '0', '2', '7']);
  });

  it('may be in a file that has grown', async () => {
    const { openEventIds } = deployment();
    await importFile(await optionsOf(fileWith(history), { openEventIds }));
    const grown = await optionsOf(fileWith(history + line(9), 'grown.ndjson'), { openEventIds });
    expect((await importFile({ ...grown, statePath: join(folder, 'states', 'grown.json') })).counts).toEqual({
      imported: 1,
      repeated: LINES,
      rejected: 0,
    });
  });

  it('that an earlier run sent are left to their owner', async () => {
    const path = fileWith(history);
    // All lines were decided by a run that this machine has no memory of.
    const send = (body: ImportHistory): Promise<Reply> => {
      const earlier = body.players.flatMap((player) => player.lines).length;
      return Promise.resolve({ kind: 'imported', importedTo: LINES, imported: 0, repeated: 0, earlier, rejected: [] });
    };
    const { openEventIds } = deployment(['0', '1', '2']);
    const { counts } = await importFile(await optionsOf(path, { openEventIds, send }));
    expect(counts).toEqual({ imported: 0, repeated: LINES, rejected: 0 });
  });
});

describe('what an earlier run left', () => {
  it.each([
    ['of another deployment', { namespace: 'other' }],
    ['with another format', { fileKind: 'csv' }],
  ] as const)('is no progress of an import %s', async (_, earlier) => {
    const path = fileWith(history);
    const state = join(folder, 'states', 'state.json');
    await importFile(await optionsOf(path, {}));
    const saved: object = JSON.parse(readFileSync(state, 'utf8'));
    writeFileSync(state, JSON.stringify({ ...saved, ...earlier }));
    const { decided, send } = owner();
    const { isOld, counts } = await importFile(await optionsOf(path, { send }));
    expect([isOld, counts.imported, decided]).toEqual([false, LINES, [1, 2, 3]]);
  });

  it.each([
    ['is gone', (path: string) => rmSync(path)],
    ['is cut', (path: string) => truncateSync(path, 3)],
  ])('continues though its file with rejected lines %s', async (_, change) => {
    const path = fileWith(`no\n${history}`);
    const options = await optionsOf(path, {});
    await importFile(options);
    const state = options.statePath;
    writeFileSync(state, readFileSync(state, 'utf8').replace('"done":true', '"done":false'));
    change(options.rejectedPath);
    expect(await importFile(options)).toMatchObject({ done: true, counts: { imported: LINES, rejected: 1 } });
  });

  it('does not cut another file that it is told to write', async () => {
    const path = fileWith(`no\n${history}`);
    await importFile(await optionsOf(path, {}));
    const state = join(folder, 'states', 'state.json');
    writeFileSync(state, readFileSync(state, 'utf8').replace('"done":true', '"done":false'));
    const other = fileWith('kept', 'other.ndjson');
    await importFile(await optionsOf(path, { rejectedPath: other }));
    expect(readFileSync(other, 'utf8')).toBe('kept');
  });
});

describe('the file with rejected lines', () => {
  const rejected = (options: { keptBytes?: number; mostBytes?: number; isFull?: boolean }, path = 'rejected') =>
    openRejectedLines({ path: join(folder, path), keptBytes: 0, mostBytes: 100, isFull: false, ...options });

  it('has a maximum, also over several runs', () => {
    const first = rejected({});
    expect([first.add(1, 'r', 'x'.repeat(40)), first.add(2, 'r', 'x'.repeat(40)), first.add(3, 'r', '')]).toEqual([
      true,
      false,
      false,
    ]);
    first.close();
    const second = rejected({ keptBytes: first.bytes, isFull: true });
    expect(second.add(4, 'r', '')).toBe(false);
    second.close();
    expect(statSync(join(folder, 'rejected')).size).toBe(first.bytes);
  });

  it('on a full disk ends the import with its name, and continues where it was', (context) => {
    const disk = mountSmallFileSystem(64 * 1024);
    if (disk === undefined) return context.skip('this user may not mount file systems');
    try {
      const path = join(disk.path, 'rejected');
      const options = { path, keptBytes: 0, mostBytes: 1_000_000, isFull: false };
      const lines = openRejectedLines(options);
      let keptBytes = 0;
      const fill = () => {
        for (let n = 0; n < 100; n++, keptBytes = lines.bytes) lines.add(n, 'r', 'x'.repeat(1_500));
      };
      expect(fill).toThrow(CliError);
      expect(fill).toThrow(`Rejected lines cannot be written to ${path}: ENOSPC`);
      lines.close();
      const again = openRejectedLines({ ...options, keptBytes });
      again.close();
      expect(readFileSync(path, 'utf8').endsWith('"}\n')).toBe(true);
    } finally {
      disk.remove();
    }
  });
});
