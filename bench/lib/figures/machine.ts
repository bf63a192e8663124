import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './statistics.ts';
import { figure } from '../report/table.ts';

/** The machine that figures depend on. */
export interface Machine {
  cpus: number;
  cpuModel: string;
  memoryGiB: number;
  kernel: string;
  node: string;
  commit: string;
  /** Median time to write 4 KiB and sync it: every acknowledged write waits for this once. */
  fsyncMs: number;
}

/** @param folder on the disk that is measured; the system's temporary folder when left out */
export function describeMachine(folder = tmpdir()): Machine {
  return {
    cpus: cpus().length,
    cpuModel: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    node: process.version,
    commit: commit(),
    fsyncMs: fsyncMs(folder),
  };
}

/** On one line, for the head of a report. */
export function machineLine({ cpus, cpuModel, memoryGiB, node, commit, fsyncMs }: Machine): string {
  return `${cpus} CPUs (${cpuModel}), ${memoryGiB} GiB, Node ${node}, commit ${commit}, fsync of 4 KiB ${figure(fsyncMs)} ms`;
}

const FSYNCS = 50;

function fsyncMs(parent: string): number {
  const folder = mkdtempSync(join(parent, 'player-analytics-bench-fsync-'));
  const file = openSync(join(folder, 'file'), 'w');
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: FSYNCS }, () => {
    const beganMs = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - beganMs;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return median(times);
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
