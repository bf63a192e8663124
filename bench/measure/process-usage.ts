import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface Usage {
  cpuSeconds: number;
  /** NaN when it has ended and nobody has taken note yet. */
  rssMiB: number;
  /** Of it, pages of files that are mapped: the system takes them back when it needs room. */
  mappedMiB: number;
}

/** Clock ticks per second in /proc: USER_HZ, which Linux has fixed at 100 on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time (all threads, user and system) and resident memory of a process; undefined when it is gone. Linux only. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cpuSeconds: cpuSecondsOf(stat),
      rssMiB: memoryMiBOf(status, 'VmRSS'),
      mappedMiB: memoryMiBOf(status, 'RssFile'),
    };
  } catch {
    return undefined;
  }
}

/** Fields 14 and 15 of /proc/<pid>/stat (proc_pid_stat(5)); the second field may hold spaces and brackets. */
export function cpuSecondsOf(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
}

/** CPU seconds that the machine has spent on anything at all since it started, over all its CPUs. NaN outside Linux. */
export function readMachineCpuSeconds(): number {
  try {
    return machineCpuSecondsOf(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/**
 * The first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal. All but the two idle
 * ones count; time stolen by the hypervisor is time that nobody here had.
 */
export function machineCpuSecondsOf(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** A line of /proc/<pid>/status (proc_pid_status(5)), which are in KiB; NaN when it isn't there. */
export function memoryMiBOf(status: string, line: 'VmRSS' | 'RssFile'): number {
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
}
