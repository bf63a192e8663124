import type { Cancel, Clock } from '../../../src/kernel/clock.ts';
import { createPipe } from './pipe.ts';

/** What becomes of one write (append or bucket write) on its way. Delays do not hold up what is sent later. */
export type WriteFault =
  | 'deliver'
  /** Stored, but the sender never hears. */
  | 'lose_ack'
  /** Never reaches the broker; the sender never hears. */
  | 'lose_request'
  /** Reaches the broker twice. */
  | 'duplicate'
  /** Reaches the broker, or the sender hears of it, this much later; a delayed request even outlives its connection. */
  | { requestDelayMs?: number; ackDelayMs?: number };

/**
 * A client's side of its connection to the broker in memory.
 *
 * Invariants
 * 1. Nothing happens synchronously: the broker decides when the request arrives, the caller hears when the answer does.
 * 2. Reads are asked again after a reconnect until they are answered. Writes are sent at most once: a break after that
 *    leaves the caller with its `unknown` answer.
 * 3. A killed client neither hears nor settles anything any more, as if its process were gone.
 */
export interface Connection {
  readonly connected: boolean;
  readonly closed: boolean;
  readonly dead: boolean;
  /** Asks the broker, for as long as it takes. Rejects only when the log is closed. */
  ask<T>(answer: () => T): Promise<T>;
  /** Has the broker decide a write. Resolves to `unknown(why)` when no answer came in time. */
  write<T>(decide: () => T, unknown: (why: string) => T, timeoutMs: number, fault: WriteFault): Promise<T>;
  /** Runs at the broker, if the connection holds until then. */
  toBroker(deliver: () => void): void;
  /** Runs at the client, if the connection holds until then. */
  toClient(deliver: () => void): void;
  /** Called after every reconnect, and with `false` after every break. */
  onChange(listener: (connected: boolean) => void): () => void;
  /** The connection breaks. What is under way is lost, or (`deliver`) still reaches the broker. */
  disconnect(underWay: 'lose' | 'deliver'): void;
  reconnect(): void;
  /** The process is gone. What it had sent is lost with it, or (`deliver`) was in the network already and arrives. */
  kill(underWay: 'lose' | 'deliver'): void;
  close(): void;
}

/** The client's own time: a process that is paused neither hears nor times anything out until it goes on. */
export interface ClientClocks {
  /** For what the client waits for. */
  timers: Clock;
  /** For what reaches the client. */
  arrivals: Clock;
}

/** @param clock the broker's: what is on its way to the broker arrives whatever becomes of the client */
export function createConnection(clock: Clock, latencyMs: () => number, own?: ClientClocks): Connection {
  const up = createPipe(clock, latencyMs);
  const down = createPipe(own?.arrivals ?? clock, latencyMs);
  const clientTimers = own?.timers ?? clock;
  const listeners = new Set<(connected: boolean) => void>();
  const reads = new Set<{ send: () => void; fail: () => void }>();
  const writes = new Set<{ sent: boolean; send: () => void; give: (why: string) => void }>();
  let state: 'connected' | 'disconnected' | 'closed' | 'dead' = 'connected';

  function lost(why: string): void {
    for (const write of writes) if (write.sent) write.give(why);
  }

  const connection: Connection = {
    get connected() {
      return state === 'connected';
    },
    get closed() {
      return state === 'closed';
    },
    get dead() {
      return state === 'dead';
    },
    ask<T>(answer: () => T): Promise<T> {
      return new Promise((resolve, reject) => {
        const fail = () => reject(new Error('the log is closed'));
        if (state === 'closed') {
          fail();
          return;
        }
        const read = {
          send: () =>
            up.send(() => {
              const value = answer();
              down.send(() => {
                if (reads.delete(read)) resolve(value);
              });
            }),
          fail,
        };
        reads.add(read);
        if (state === 'connected') read.send();
      });
    },
    write<T>(decide: () => T, unknown: (why: string) => T, timeoutMs: number, fault: WriteFault): Promise<T> {
      return new Promise((resolve) => {
        let cancel: Cancel = () => {};
        const settle = (value: T) => {
          cancel();
          if (writes.delete(write) && state !== 'dead') resolve(value);
        };
        const write = {
          sent: false,
          send: () => {
            write.sent = true;
            carry(() => decide(), settle, fault);
          },
          give: (why: string) => settle(unknown(why)),
        };
        writes.add(write);
        cancel = clientTimers.timer(timeoutMs, () => write.give('no answer in time'));
        if (state === 'connected') write.send();
        else if (state === 'closed') queueMicrotask(() => write.give('the log is closed'));
      });
    },
    toBroker(deliver) {
      if (state === 'connected') up.send(deliver);
    },
    toClient(deliver) {
      if (state === 'connected') down.send(deliver);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    disconnect(underWay) {
      if (state !== 'connected') return;
      state = 'disconnected';
      const cut = up.cut();
      down.cut();
      if (underWay === 'deliver') for (const deliver of cut) queueMicrotask(deliver);
      lost('disconnected');
      for (const listener of listeners) listener(false);
    },
    reconnect() {
      if (state !== 'disconnected') return;
      state = 'connected';
      for (const read of reads) read.send();
      for (const write of writes) write.send();
      for (const listener of listeners) listener(true);
    },
    kill(underWay) {
      const cut = state === 'connected' ? up.cut() : [];
      down.cut();
      state = 'dead';
      if (underWay === 'deliver') for (const deliver of cut) queueMicrotask(deliver);
      for (const listener of listeners) listener(false);
    },
    close() {
      if (state === 'closed' || state === 'dead') return;
      // What was sent before still arrives; nobody waits for its answer.
      const wasConnected = state === 'connected';
      state = 'closed';
      if (wasConnected) for (const listener of listeners) listener(false);
      for (const write of writes) write.give('the log is closed');
      for (const read of reads) read.fail();
      reads.clear();
    },
  };

  /** Takes a write to the broker and its answer back, with what `fault` does to either. */
  function carry<T>(decide: () => T, settle: (value: T) => void, fault: WriteFault): void {
    const answered = (value: T) => connection.toClient(() => settle(value));
    if (fault === 'lose_request') return;
    if (fault === 'lose_ack') {
      up.send(() => void decide());
    } else if (fault === 'deliver' || fault === 'duplicate') {
      up.send(() => answered(decide()));
      if (fault === 'duplicate') up.send(() => answered(decide()));
    } else {
      const { requestDelayMs, ackDelayMs } = fault;
      const reply = (value: T) => {
        if (ackDelayMs === undefined) answered(value);
        else clock.timer(ackDelayMs, () => answered(value));
      };
      if (requestDelayMs === undefined) up.send(() => reply(decide()));
      else clock.timer(requestDelayMs, () => reply(decide()));
    }
  }

  return connection;
}
