import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock } from '../kernel/clock.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the service is made of. */
const FOLDERS = ['src', 'actors', 'streams', 'clickhouse-schema', 'models'];
/** An editor's save, or a branch switch, is several changes: they count as one. */
const SETTLE_MS = 200;

/** Calls `onChange` after source files changed. The returned function ends it. */
export function watchSources(clock: Clock, onChange: () => void): Cancel {
  let cancel: Cancel = () => {};
  const watchers = FOLDERS.map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
      if (file === null || !/\.(ts|json|sql|onnx)$/.test(file) || file.endsWith('.test.ts')) return;
      cancel();
      cancel = clock.timer(SETTLE_MS, onChange);
    }),
  );
  return () => {
    cancel();
    for (const watcher of watchers) watcher.close();
  };
}
