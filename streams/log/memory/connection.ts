import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { createPipe } from './pipe.ts';

/** The fate of one write (append or bucket write). A delay does not delay later messages. */
export type WriteFault =
  | 'deliver'
  /** Stored, but the answer is lost. */
  | 'lose_ack'
  /** Lost before it reaches the broker. */
  | 'lose_request'
  /** Reaches the broker twice. */
  | 'duplicate'
  /** The request or the answer is delayed by this much. A delayed request arrives even if its connection breaks. */
  | { requestDelayMs?: number; ackDelayMs?: number };

/**
 * A client's side of its connection to the broker in memory.
 *
 * Invariants
 * 1. Nothing happens synchronously: the broker decides when the request arrives, and the call ends when the answer
 *    does.
 * 2. Reads are repeated after a reconnect until they are answered. Writes are sent at most once: after a break their
 *    outcome is `unknown`.
 * 3. A killed client gets no messages, and its pending calls never end.
 */
export interface Connection {
  readonly connected: boolean;
  readonly closed: boolean;
  readonly dead: boolean;
  /** Reads from the broker, repeated until it answers. Rejects only when the log is closed. */
  read<T>(answer: () => T, whenLed?: WhenLed): Promise<T>;
  /** Sends a write. Resolves to `unknown(why)` if no answer comes in time. */
  write<T>(decide: () => T, unknown: (why: string) => T, timeoutMs: number, fault: WriteFault): Promise<T>;
  /** Runs at the broker, if the connection holds until then. */
  toBroker(deliver: () => void): void;
  /** Runs at the client, if the connection holds until then. */
  toClient(deliver: () => void): void;
  /** Called after every reconnect, and with `false` after every break. */
  onChange(listener: (connected: boolean) => void): () => void;
  /** Breaks the connection. Messages in flight are lost, or (`deliver`) still reach the broker. */
  disconnect(underWay: 'lose' | 'deliver'): void;
  reconnect(): void;
  /** Kills the process. Sent messages are lost, or (`deliver`) still reach the broker. */
  kill(underWay: 'lose' | 'deliver'): void;
  close(): void;
}

/** Runs a step at the broker: now, or once the stream or bucket has a leader. */
export type WhenLed = (step: () => void) => void;

const atOnce: WhenLed = (step) => step();

/** The client's clocks: a paused process gets no messages and no time-outs until it continues. */
export interface ClientClocks {
  /** For the client's timers. */
  timers: Clock;
  /** For messages that reach the client. */
  arrivals: Clock;
}

/** @param clock the broker's: messages to the broker arrive even if the client is paused or killed */
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
    read<T>(answer: () => T, whenLed: WhenLed = atOnce): Promise<T> {
      return new Promise((resolve, reject) => {
        const fail = () => reject(new Error('the log is closed'));
        if (state === 'closed') {
          fail();
          return;
        }
        const read = {
          send: () =>
            up.send(() =>
              whenLed(() => {
                const value = answer();
                down.send(() => {
                  if (reads.delete(read)) resolve(value);
                });
              }),
            ),
          fail,
        };
        reads.add(read);
        if (state === 'connected') read.send();
      });
    },
    write<T>(decide: () => T, unknown: (why: string) => T, timeoutMs: number, fault: WriteFault): Promise<T> {
      return new Promise((resolve) => {
        let cancel: Cancel = () => {};
        const finish = (value: T) => {
          cancel();
          if (writes.delete(write) && state !== 'dead') resolve(value);
        };
        const write = {
          sent: false,
          send: () => {
            write.sent = true;
            carry(() => decide(), finish, fault);
          },
          give: (why: string) => finish(unknown(why)),
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
      // Messages sent before still arrive; their answers are dropped.
      const wasConnected = state === 'connected';
      state = 'closed';
      if (wasConnected) for (const listener of listeners) listener(false);
      for (const write of writes) write.give('the log is closed');
      for (const read of reads) read.fail();
      reads.clear();
    },
  };

  /** Carries a write to the broker and its answer back, subject to `fault`. */
  function carry<T>(decide: () => T, resolve: (value: T) => void, fault: WriteFault): void {
    const answered = (value: T) => connection.toClient(() => resolve(value));
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
