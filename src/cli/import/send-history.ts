import type { ImportedReply, ImportHistory, ImportItem } from '../../../actors/vocabulary/import.ts';
import type { Reply } from '../../../actors/vocabulary/replies.ts';
import { sleep, type Clock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { CliError } from '../cli-error.ts';

/**
 * Sends the lines of one partition to its owner, in their order and each until it is decided.
 *
 * States: waiting commands → in flight, at most `window` → decided, from the front only.
 * Invariants
 * 1. A command names the last line of the command before it, so an owner decides none of them too early.
 * 2. Waiting lines are bounded: `add` waits.
 * 3. The window shrinks when replies are slow, so live traffic, which the owner decides by turns, goes first.
 */
export interface PartitionSender {
  add(item: ImportItem): Promise<void>;
  /** The first line that is not decided; `undefined`: all are. */
  undecidedFrom(): number | undefined;
  /** Sends what waits, and resolves when all lines are decided. */
  flush(): Promise<void>;
}

export interface SenderOptions {
  ledgerId: string;
  send: (body: ImportHistory, playerId: string) => Promise<Reply>;
  /** Resolves when the sinks are not too far behind. */
  mayGoOn: () => Promise<void>;
  onDecided: (reply: ImportedReply, wasRepeated: boolean) => void;
  clock: Pick<Clock, 'timer' | 'monotonicMs'>;
}

interface Waiting {
  items: ImportItem[];
  chars: number;
  after: number;
  attempts: number;
}

export function createPartitionSender({ ledgerId, send, mayGoOn, onDecided, clock }: SenderOptions): PartitionSender {
  const queue: Waiting[] = [];
  let filling: Waiting = newCommand(0);
  let window = 1;
  let running: Promise<void> | undefined;
  let failure: unknown;
  let onRoom: (() => void)[] = [];

  function close(): void {
    const last = filling.items.at(-1);
    if (last === undefined) return;
    queue.push(filling);
    filling = newCommand(last.line);
    running ??= run();
  }

  async function run(): Promise<void> {
    try {
      let failingSinceMs: number | undefined;
      while (queue.length > 0) {
        await mayGoOn();
        const begunMs = clock.monotonicMs();
        const decided = await sendFront();
        const tookMs = clock.monotonicMs() - begunMs;
        if (decided) {
          failingSinceMs = undefined;
          window = tookMs > LIMITS.importSlowMs ? Math.max(1, window >> 1) : Math.min(window + 1, LIMITS.importWindow);
          continue;
        }
        window = 1;
        failingSinceMs ??= begunMs;
        if (clock.monotonicMs() - failingSinceMs > LIMITS.importPatienceMs) {
          throw new CliError('The service did not accept lines for too long. Run the command again to continue.');
        }
        await sleep(clock, LIMITS.importRetryMs);
      }
    } catch (error) {
      failure = error;
      queue.length = 0;
    }
    running = undefined;
    wake();
  }

  /** Sends the first commands. @returns whether all of them are decided */
  async function sendFront(): Promise<boolean> {
    const front = queue.slice(0, window);
    const replies = await Promise.all(
      front.map(({ items, after }) =>
        send({ kind: 'ImportHistory', ledgerId, after, items }, items[0]?.playerId ?? ''),
      ),
    );
    for (const [place, waiting] of front.entries()) {
      waiting.attempts += 1;
      const reply = replies[place];
      const last = waiting.items.at(-1)?.line ?? 0;
      if (reply?.kind === 'failure' && !PASSING.has(reply.code)) {
        throw new CliError(`The service refused lines: ${reply.message ?? reply.code}`);
      }
      if (reply?.kind !== 'imported' || reply.importedTo < last) {
        for (const later of front.slice(place + 1)) later.attempts += 1;
        return false;
      }
      queue.shift();
      onDecided(reply, waiting.attempts > 1);
    }
    wake();
    return true;
  }

  function wake(): void {
    const waiters = onRoom;
    onRoom = [];
    for (const waiter of waiters) waiter();
  }

  function check(): void {
    if (failure !== undefined) throw failure;
  }

  return {
    async add(item) {
      check();
      const chars = charsOf(item);
      if (filling.items.length > 0 && filling.chars + chars > LIMITS.importCommandChars) close();
      filling.items.push(item);
      filling.chars += chars;
      if (filling.items.length >= LIMITS.importCommandLines) close();
      while (queue.length > 2 * LIMITS.importWindow) {
        await new Promise<void>((resolve) => onRoom.push(resolve));
        check();
      }
    },
    undecidedFrom: () => queue[0]?.items[0]?.line ?? filling.items[0]?.line,
    async flush() {
      close();
      await running;
      check();
    },
  };
}

const newCommand = (after: number): Waiting => ({ items: [], chars: 0, after, attempts: 0 });

/** Failures that pass: the command may not have been decided. */
const PASSING: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']);

/** About the characters of an item in a message. */
function charsOf({ externalId, event, player }: ImportItem): number {
  return ITEM_CHARS + externalId.length + (event?.properties.length ?? 0) + (player?.attributes?.length ?? 0);
}

const ITEM_CHARS = 300;
