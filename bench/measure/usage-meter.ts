import { readMachineCpuSeconds, readUsage, type Usage } from './process-usage.ts';

/** Process ids by the name a report calls them. */
export type Pids = Readonly<Record<string, number>>;

/** CPU time and memory of several processes over a stretch of time. */
export interface UsageMeter {
  /** Takes one more process in; what it used before counts as nothing if it is new. */
  add(name: string, pid: number): void;
  /** Reads all of them now: a process that ends later keeps what this saw. */
  read(): void;
  /** Seconds of CPU since the begin, by process. */
  cpuSeconds(): Record<string, number>;
  /** Seconds of CPU since the begin that went to nobody here, neither to these processes nor to this one. */
  othersCpuSeconds(): number;
  /** Resident memory at the last reading, by process. */
  rssMiB(): Record<string, number>;
}

/** Starts measuring now. */
export function createUsageMeter(pids: Pids): UsageMeter {
  const tracked = new Map<string, { pid: number; begin: number; last: Usage }>();

  const machineBegin = readMachineCpuSeconds();
  const ownBegin = process.cpuUsage();

  function add(name: string, pid: number): void {
    const usage = readUsage(pid);
    if (usage !== undefined) tracked.set(name, { pid, begin: usage.cpuSeconds, last: usage });
  }

  for (const [name, pid] of Object.entries(pids)) add(name, pid);
  return {
    add,
    read() {
      for (const one of tracked.values()) {
        const usage = readUsage(one.pid) ?? one.last;
        // One that has just ended still tells its CPU time, and has no memory any more.
        one.last = Number.isNaN(usage.rssMiB) ? { ...one.last, cpuSeconds: usage.cpuSeconds } : usage;
      }
    },
    cpuSeconds: () =>
      Object.fromEntries([...tracked].map(([name, { begin, last }]) => [name, last.cpuSeconds - begin])),
    othersCpuSeconds() {
      const own = process.cpuUsage(ownBegin);
      const measured = [...tracked.values()].reduce((sum, { begin, last }) => sum + last.cpuSeconds - begin, 0);
      return Math.max(0, readMachineCpuSeconds() - machineBegin - measured - (own.user + own.system) / 1e6);
    },
    rssMiB: () => Object.fromEntries([...tracked].map(([name, { last }]) => [name, last.rssMiB])),
  };
}
