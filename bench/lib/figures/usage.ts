import { readFileSync } from 'node:fs';

/* CPU time and memory of processes, from /proc: Linux only. */

export interface Usage {
  cpuSeconds: number;
  /** NaN once the process has ended and waits to be collected. */
  rssMiB: number;
  /** The part that is mapped pages of files: the system takes them back when memory is short. */
  mappedMiB: number;
}

/** Process ids by the names that a report gives them. */
export type Pids = Readonly<Record<string, number>>;

/** USER_HZ: Linux fixes it at 100 on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time (all threads, user and system) and resident memory of a process; undefined when it is gone. */
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

/** A line of /proc/<pid>/status (proc_pid_status(5)), given in KiB; NaN when it is missing. */
export function memoryMiBOf(status: string, line: 'VmRSS' | 'RssFile'): number {
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
}

/**
 * The first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal. All but the two
 * idle ones count: time that the hypervisor took was not available on this machine.
 */
export function machineCpuSecondsOf(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

function readMachineCpuSeconds(): number {
  try {
    return machineCpuSecondsOf(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** What processes used while they were watched. */
export interface UsageSeen {
  /** Seconds of CPU, by process. */
  cpuSeconds: Record<string, number>;
  /** CPUs that worked for other processes, on average: when this is far from 0, the figures mean little. */
  othersCpus: number;
  /** Resident memory at the last reading, by process. */
  rssMiB: Record<string, number>;
  /** The part of it that is mapped pages of files. */
  mappedMiB: Record<string, number>;
  /** The most resident memory that was seen, by process. */
  peakRssMiB: Record<string, number>;
  /** The same without mapped pages of files, which the system takes back when memory is short. */
  peakOwnMiB: Record<string, number>;
}

interface Tracked {
  pid: number;
  begin: number;
  last: Usage;
  peakMiB: number;
  peakOwnMiB: number;
}

const ownMiB = ({ rssMiB, mappedMiB }: Usage): number => rssMiB - mappedMiB;

/** Watches processes until it is stopped. */
export interface UsageWatch {
  /** Watches one more process from now on. */
  add(name: string, pid: number): void;
  /** Reads all processes now. A process that ends later keeps these figures. */
  seen(): UsageSeen;
  stop(): void;
}

/** A process that ends takes no more than this of its CPU time with it. */
const INTERVAL_MS = 100;

/** @param onRead called after each reading */
export function watchUsage(pids: Pids, onRead: (rssMiB: Record<string, number>) => void = () => {}): UsageWatch {
  const tracked = new Map<string, Tracked>();
  const begunMs = performance.now();
  const machineBegin = readMachineCpuSeconds();
  const ownBegin = process.cpuUsage();

  function add(name: string, pid: number): void {
    const usage = readUsage(pid);
    if (usage !== undefined)
      tracked.set(name, {
        pid,
        begin: usage.cpuSeconds,
        last: usage,
        peakMiB: usage.rssMiB,
        peakOwnMiB: ownMiB(usage),
      });
  }

  function read(): void {
    for (const one of tracked.values()) {
      const usage = readUsage(one.pid) ?? one.last;
      // A process that has just ended still has its CPU time, and no memory.
      one.last = Number.isNaN(usage.rssMiB) ? { ...one.last, cpuSeconds: usage.cpuSeconds } : usage;
      one.peakMiB = Math.max(one.peakMiB, one.last.rssMiB);
      one.peakOwnMiB = Math.max(one.peakOwnMiB, ownMiB(one.last));
    }
  }

  const byName = (pick: (one: Tracked) => number): Record<string, number> =>
    Object.fromEntries([...tracked].map(([name, one]) => [name, pick(one)]));

  function othersCpuSeconds(): number {
    const own = process.cpuUsage(ownBegin);
    const measured = [...tracked.values()].reduce((total, { begin, last }) => total + last.cpuSeconds - begin, 0);
    return Math.max(0, readMachineCpuSeconds() - machineBegin - measured - (own.user + own.system) / 1e6);
  }

  for (const [name, pid] of Object.entries(pids)) add(name, pid);
  const reading = setInterval(() => {
    read();
    onRead(byName(({ last }) => last.rssMiB));
  }, INTERVAL_MS);
  return {
    add,
    seen() {
      read();
      return {
        cpuSeconds: byName(({ begin, last }) => last.cpuSeconds - begin),
        othersCpus: (othersCpuSeconds() * 1000) / (performance.now() - begunMs),
        rssMiB: byName(({ last }) => last.rssMiB),
        mappedMiB: byName(({ last }) => last.mappedMiB),
        peakRssMiB: byName(({ peakMiB }) => peakMiB),
        peakOwnMiB: byName(({ peakOwnMiB }) => peakOwnMiB),
      };
    },
    stop: () => clearInterval(reading),
  };
}
