import { moduleGroup } from './module-group.ts';

/** A `.cpuprofile` as V8 writes it; times in microseconds. */
export interface CpuProfile {
  nodes: ProfileNode[];
  /** Node ids, one per sample, and the time since the sample before. */
  samples: number[];
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

/** Time of one function or group. `total` includes what it called. */
export interface ProfileEntry {
  name: string;
  group: string;
  selfMs: number;
  totalMs: number;
}

export interface ProfileSummary {
  /** From the first to the last sample, and the part in which the thread was not idle. */
  spanMs: number;
  busyMs: number;
  /** Self time by group, largest first; idle left out. */
  groups: { group: string; selfMs: number }[];
  /** Every function that was seen. */
  functions: ProfileEntry[];
}

const IDLE = 'idle';

/** Adds a profile up by function and by group of modules. A function that calls itself is counted once. */
export function summariseProfile(profile: CpuProfile): ProfileSummary {
  const selfMs = selfTimes(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const functions = new Map<string, ProfileEntry>();

  /**
   * @param open names on the way from the root
   * @param callerUrl script of the nearest caller that has one
   * @returns the time of the subtree
   */
  function visit(node: ProfileNode, open: ReadonlySet<string>, callerUrl: string): number {
    const entry = entryOf(node, callerUrl);
    const isOutermost = !open.has(entry.name);
    const inside = isOutermost ? new Set([...open, entry.name]) : open;
    const own = selfMs.get(node.id) ?? 0;
    let totalMs = own;
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) totalMs += visit(child, inside, node.callFrame.url || callerUrl);
    }
    entry.selfMs += own;
    if (isOutermost) entry.totalMs += totalMs;
    return totalMs;
  }

  function entryOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode, callerUrl: string): ProfileEntry {
    const name = `${functionName || '(anonymous)'}${placeOf(functionName, url, lineNumber, callerUrl)}`;
    const found = functions.get(name);
    if (found !== undefined) return found;
    const entry = { name, group: moduleGroup(functionName, url, callerUrl), selfMs: 0, totalMs: 0 };
    functions.set(name, entry);
    return entry;
  }

  const children = new Set(profile.nodes.flatMap((node) => node.children ?? []));
  for (const node of profile.nodes) if (!children.has(node.id)) visit(node, new Set(), '');

  const all = [...functions.values()];
  const busy = all.filter(({ group }) => group !== IDLE);
  const groups = [...Map.groupBy(busy, ({ group }) => group)]
    .map(([group, entries]) => ({ group, selfMs: entries.reduce((sum, entry) => sum + entry.selfMs, 0) }))
    .sort((a, b) => b.selfMs - a.selfMs);
  return {
    spanMs: profile.timeDeltas.reduce((sum, delta) => sum + delta, 0) / 1000,
    busyMs: groups.reduce((sum, group) => sum + group.selfMs, 0),
    groups,
    functions: busy,
  };
}

/** Where a function is defined; for a native one, its caller. */
export function placeOf(functionName: string, url: string, lineNumber: number, callerUrl: string): string {
  if (url !== '') return ` ${shortPath(url)}:${lineNumber + 1}`;
  return functionName.startsWith('(') || callerUrl === '' ? '' : ` ← ${shortPath(callerUrl)}`;
}

/** A sample stands for the time until the next one. */
function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  }
  return times;
}

/** The end of a path: from `node_modules`, or from the project's own folder. */
function shortPath(url: string): string {
  const inPackage = url.lastIndexOf('node_modules/');
  if (inPackage >= 0) return url.slice(inPackage + 'node_modules/'.length);
  return /\/((?:src|actors|streams|clickhouse-schema|core|models|bench)\/.*)$/.exec(url)?.[1] ?? url;
}
