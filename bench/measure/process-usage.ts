import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface Usage {
  cpuSeconds: number;
  /** NaN when it has ended and nobody has taken note yet. */
  rssMiB: number;
}

/** Clock ticks per second in /proc: USER_HZ, which Linux has fixed at 100 on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time (all threads, user and system) and resident memory of a process; undefined when it is gone. Linux only. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return { cpuSeconds: cpuSecondsOf(stat), rssMiB: rssMiBOf(status) };
  } catch {
    return undefined;
  }
}

/** Fields 14 and 15 of /proc/<pid>/stat (proc_pid_stat(5)); the second field may hold spaces and brackets. */
export function cpuSecondsOf(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
}

/** The line VmRSS of /proc/<pid>/status, which is in KiB. */
export function rssMiBOf(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
