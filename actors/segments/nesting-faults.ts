import type { FieldFault } from '../../core/kernel/errors.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { segmentNamesIn } from '../conditions/segments/segment-names.ts';
import { NESTING_LIMITS } from './limits.ts';

/** Which segments of a game and environment read which, by their ids. */
export interface SegmentGraph {
  keyOf(id: string): string;
  readBy(id: string): readonly string[];
  readersOf(id: string): readonly string[];
}

/**
 * The faults of a segment that would read itself through others, or be too deep together with those that read it.
 * @param id of the segment; the graph may hold other conditions of it
 */
export function nestingFaults(id: string, conditions: JsonObject, graph: SegmentGraph): FieldFault[] {
  const above = longest(id, (one) => graph.readersOf(one));
  return segmentNamesIn(conditions).flatMap(({ name, path }): FieldFault[] => {
    const circle = pathTo(name, id, graph);
    if (circle !== undefined) {
      const keys = [id, ...circle].map((one) => `\`${graph.keyOf(one)}\``).join(' → ');
      return [{ path, message: `makes the segment read itself: ${keys}; ${CIRCLE}` }];
    }
    const depth = above + 1 + longest(name, (one) => graph.readBy(one));
    return depth > NESTING_LIMITS.nestedSegments ? [{ path, message: tooDeep(depth) }] : [];
  });
}

const CIRCLE = 'take one of them out of the condition before it';

function tooDeep(depth: number): string {
  const most = NESTING_LIMITS.nestedSegments;
  return `nests segments ${depth} levels deep; the maximum is ${most}; write the condition of an inner segment instead`;
}

/** The number of steps of the longest way from a segment. Terminates even if segments already form a circle. */
function longest(from: string, next: (id: string) => readonly string[]): number {
  const known = new Map<string, number>();
  const visit = (id: string): number => {
    const held = known.get(id);
    if (held !== undefined) return held;
    known.set(id, 0);
    const steps = next(id).reduce((most, one) => Math.max(most, 1 + visit(one)), 0);
    known.set(id, steps);
    return steps;
  };
  return visit(from);
}

/** The segments from one to another that it reads, both included. */
function pathTo(from: string, wanted: string, graph: SegmentGraph, seen = new Set<string>()): string[] | undefined {
  if (from === wanted) return [from];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const next of graph.readBy(from)) {
    const rest = pathTo(next, wanted, graph, seen);
    if (rest !== undefined) return [from, ...rest];
  }
  return undefined;
}
