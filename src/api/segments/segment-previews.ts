import type { PreviewSegment, PreviewedPlayer, PreviewedReply } from '../../../core/vocabulary/commands/preview.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { sleep, within, type Clock } from '../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';

/**
 * Counts the players who match a condition, on the owners' live state.
 *
 * Each query evaluates players for some milliseconds; queries go to one partition after another, one at a time, with a
 * pause between them as long as the owner worked; the time that a query waited on a busy machine does not count. So a
 * preview takes at most half of one owner's time, and live commands are decided between its queries. At the time limit
 * it ends with what is known: players come in the order of their ids, which are hashes, so those that were evaluated
 * are a random sample of each partition.
 */
export interface SegmentPreviewer {
  preview: (request: PreviewRequest) => Promise<Preview | Failure>;
}

export interface PreviewRequest extends Pick<PreviewSegment, 'conditions' | 'includes' | 'excludes' | 'changes'> {
  game: string;
  environment: Environment;
}

export interface Preview {
  kind: 'preview';
  /** Matching players: exact if `complete`, else an estimate. */
  players: number;
  /** Half of the interval that holds the exact number with a probability of 95 %; 0 if `complete`. */
  margin: number;
  total: number;
  evaluated: number;
  complete: boolean;
  overBudget: number;
  examples: PreviewedPlayer[];
  tookMs: number;
  /** For each change of the request. Absent: none was asked for. */
  moved?: Moved[];
}

/** Counts players whom a change moves; `undefined`: it is not known. */
export type Moved = (isCounted: (from: number, to: number) => boolean) => Counted | undefined;
export type Counted = Pick<Preview, 'players' | 'margin' | 'complete'>;

export interface SegmentPreviewerOptions {
  partitions: number;
  query: (
    origin: { game: string; environment: Environment; receivedAt: number },
    partition: number,
    body: PreviewSegment,
  ) => Promise<Reply>;
  clock: Clock;
  limits?: Adjustable<typeof SEGMENT_API_LIMITS, 'previewMs' | 'previewsOfGame'>;
}

/** What is known of one partition. */
interface Part extends Pick<PreviewedReply, 'total' | 'evaluated' | 'matched' | 'next'> {
  partition: number;
  /** For each answer those of each change. */
  moves: NonNullable<PreviewedReply['moves']>[];
  /** A query that was not answered in time: its answer still counts. */
  asked?: Promise<Reply> | undefined;
}

export function createSegmentPreviewer(options: SegmentPreviewerOptions): SegmentPreviewer {
  const { partitions, query, clock, limits = SEGMENT_API_LIMITS } = options;
  /** Previews that run, by game. */
  const running = new Map<string, number>();

  async function run(request: PreviewRequest): Promise<Preview | Failure> {
    const { game, environment, ...body } = request;
    const parts: Part[] = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      total: 0,
      evaluated: 0,
      matched: 0,
      moves: [],
      next: '',
    }));
    const examples: PreviewedPlayer[] = [];
    const beganMs = clock.monotonicMs();
    let overBudget = 0;
    /** Asks a partition once. @returns why the preview ends */
    async function ask(part: Part, others: number): Promise<'late' | Failure | undefined> {
      const leftMs = beganMs + limits.previewMs - clock.monotonicMs();
      if (leftMs <= 0) return 'late';
      const askedMs = clock.monotonicMs();
      const wanted = SEGMENT_API_LIMITS.previewExamples - examples.length;
      // A partition that is waited for does not hold up the others a second time.
      const mostMs = part.asked !== undefined && others > 0 ? 1 : SEGMENT_API_LIMITS.previewQueryMs;
      part.asked ??= query({ game, environment, receivedAt: clock.wallMs() }, part.partition, {
        kind: 'PreviewSegment',
        ...body,
        after: part.next ?? '',
        examples: wanted,
      });
      const reply = await within(clock, Math.min(leftMs, mostMs), part.asked);
      if (reply === undefined) return undefined;
      part.asked = undefined;
      if (reply.kind === 'failure') return reply;
      if (reply.kind !== 'previewed') throw new Error(`a preview was answered with ${reply.kind}`);
      part.total = reply.total;
      part.evaluated += reply.evaluated;
      part.matched += reply.matched;
      part.next = reply.next;
      if (reply.moves !== undefined) part.moves.push(reply.moves);
      overBudget += reply.overBudget;
      examples.push(...reply.examples.slice(0, wanted));
      await sleep(clock, Math.min(reply.tookMs ?? Infinity, clock.monotonicMs() - askedMs));
      return undefined;
    }

    for (let open = parts; open.length > 0; open = open.filter(({ next }) => next !== null)) {
      for (const part of open) {
        const stopped = await ask(part, open.filter(({ asked }) => asked === undefined).length);
        if (stopped === 'late') return summary();
        if (stopped !== undefined) return stopped;
      }
    }
    return summary();

    function summary(): Preview | Failure {
      if (parts.every(({ evaluated, next }) => evaluated === 0 && next !== null)) {
        return failure('SERVICE_UNAVAILABLE', 'No player could be evaluated in time; retry later.');
      }
      const tookMs = Math.round(clock.monotonicMs() - beganMs);
      const moved = body.changes?.map((_, change) => movedBy(change, parts));
      return { kind: 'preview', ...estimate(parts), overBudget, examples, tookMs, ...(moved && { moved }) };
    }
  }

  return {
    async preview(request) {
      const count = running.get(request.game) ?? 0;
      if (count >= limits.previewsOfGame) return TOO_MANY;
      running.set(request.game, count + 1);
      try {
        return await run(request);
      } finally {
        const left = (running.get(request.game) ?? 1) - 1;
        if (left === 0) running.delete(request.game);
        else running.set(request.game, left);
      }
    },
  };
}

/** An owner that does not know the change makes its number unknown. */
function movedBy(change: number, parts: readonly Part[]): Moved {
  return (isCounted) => {
    const counted: Omit<Part, 'moves'>[] = [];
    for (const part of parts) {
      let matched = 0;
      for (const moves of part.moves.map((one) => one[change] ?? null)) {
        if (moves === null) return undefined;
        for (const { from, to, players } of moves) if (isCounted(from, to)) matched += players;
      }
      if (part.evaluated > 0 && part.moves.length === 0) return undefined;
      counted.push({ ...part, matched });
    }
    return estimate(counted);
  };
}

const TOO_MANY = failure(
  'SERVICE_UNAVAILABLE',
  `${SEGMENT_API_LIMITS.previewsOfGame} previews of this game are running, the maximum; retry when they have ended.`,
);

/**
 * Adds up the partitions: a stratified sample with the finite population correction (W. G. Cochran, Sampling
 * Techniques, 3rd edition, 5.2 and 5.6). A share of 0 or 1 gets the margin of one player more (rule of succession).
 */
export function estimate(
  parts: readonly Pick<Part, 'total' | 'evaluated' | 'matched' | 'next'>[],
): Pick<Preview, 'players' | 'margin' | 'total' | 'evaluated' | 'complete'> {
  const sumOf = (field: 'evaluated' | 'matched'): number => parts.reduce((sum, part) => sum + part[field], 0);
  const [evaluated, matched] = [sumOf('evaluated'), sumOf('matched')];
  // A partition that was never asked is taken to be like the others.
  const asked = parts.filter(({ evaluated, next }) => evaluated > 0 || next === null);
  const complete = parts.every(({ next }) => next === null);
  const sizes = parts.map(({ total, evaluated, next }) => (next === null ? evaluated : Math.max(total, evaluated)));
  const known = sizes.reduce((sum, size) => sum + size, 0);
  const total = Math.round(complete ? known : (known / Math.max(1, asked.length)) * parts.length);
  if (complete) return { players: matched, margin: 0, total, evaluated, complete };
  let players = 0;
  let variance = 0;
  for (const [place, part] of parts.entries()) {
    const size = sizes[place] ?? 0;
    const isWhole = part.next === null;
    const [seen, hits] = part.evaluated === 0 ? [evaluated, matched] : [part.evaluated, part.matched];
    players += isWhole ? part.matched : (size * hits) / Math.max(1, seen);
    if (isWhole || seen === 0) continue;
    const share = (hits + 1) / (seen + 2);
    variance += size * Math.max(0, size - part.evaluated) * ((share * (1 - share)) / seen);
  }
  // Partitions without any answer have no size here: they are counted like the mean of the others.
  const scale = known === 0 ? 0 : total / known;
  return {
    players: Math.round(players * scale),
    margin: Math.ceil(1.96 * Math.sqrt(variance) * scale),
    total,
    evaluated,
    complete,
  };
}
