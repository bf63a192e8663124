import { placeOf } from './cpu-profile.ts';

/** A `.heapprofile` as V8 writes it: bytes by the stack that allocated them. */
export interface AllocationProfile {
  head: AllocationNode;
}

interface AllocationNode {
  callFrame: { functionName: string; url: string; lineNumber: number };
  selfSize: number;
  children: AllocationNode[];
}

/** Bytes that one function allocated itself. */
export interface AllocationEntry {
  name: string;
  bytes: number;
}

/** Adds allocated bytes up by function, largest first. */
export function summariseAllocations({ head }: AllocationProfile): { bytes: number; functions: AllocationEntry[] } {
  const byName = new Map<string, number>();
  /** @param callerUrl script of the nearest caller that has one */
  function visit({ callFrame, selfSize, children }: AllocationNode, callerUrl: string): void {
    const { functionName, url, lineNumber } = callFrame;
    const name = `${functionName || '(anonymous)'}${placeOf(functionName, url, lineNumber, callerUrl)}`;
    byName.set(name, (byName.get(name) ?? 0) + selfSize);
    for (const child of children) visit(child, url || callerUrl);
  }
  visit(head, '');
  const functions = [...byName].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes);
  return { bytes: functions.reduce((sum, entry) => sum + entry.bytes, 0), functions };
}
