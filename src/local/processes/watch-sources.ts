import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The folders with sources of the service. */
const FOLDERS = ['src', 'actors', 'streams', 'clickhouse-schema', 'core', 'models'];
/** Changes within this time count as one: an editor's save or a branch switch changes several files. */
const SETTLE_MS = 200;

/** Calls `onChange` once after source files of the project at `root` changed. The returned function stops the watch. */
export function watchSources(clock: Clock, onChange: () => void, root = ROOT): Cancel {
  let cancel: Cancel = () => {};
  const folders = FOLDERS.map((folder) => join(root, folder)).filter((path) => existsSync(path));
  const watchers = folders.map((path) =>
    watch(path, { recursive: true }, (_event, file) => {
      if (file === null || !isSource(file)) return;
      cancel();
      cancel = clock.timer(SETTLE_MS, onChange);
    }),
  );
  return () => {
    cancel();
    for (const watcher of watchers) watcher.close();
  };
}

/** Whether a file is part of the running service; tests are not. */
export function isSource(file: string): boolean {
  return /\.(ts|json|sql|onnx)$/.test(file) && !file.endsWith('.test.ts');
}
