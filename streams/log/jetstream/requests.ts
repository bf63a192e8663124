import { createInbox } from '@nats-io/transport-node';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';

/** The answer to a request. `none`: no answer came, so the request may or may not have been carried out. */
export type Answer = { kind: 'answer'; data: Uint8Array } | { kind: 'none'; why: string };

export interface RequestOptions {
  headers?: MsgHdrs;
  timeoutMs: number;
}

/**
 * The requests of a link. One is carried out at most once. A request without a receiver ("no responders": the stream
 * has no leader, or is being created) was not carried out and is sent again.
 *
 * Requests have their own reply inbox instead of the library's: an append then costs half the processor time.
 */
export interface Requests {
  request(subject: string, data: Uint8Array | string, options: RequestOptions): Promise<Answer>;
  /** The link is up. */
  sendWaiting(): void;
  /** No answer will come to those that were sent, or to all. */
  giveUp(why: string, which: 'sent' | 'all'): void;
}

interface Waiting {
  sent: boolean;
  send: () => void;
  resolve: (answer: Answer) => void;
}

export function createRequests(
  connection: NatsConnection,
  clock: Clock,
  linkState: () => 'up' | 'down' | 'closed',
): Requests {
  const inbox = createInbox();
  const waiting = new Map<string, Waiting>();
  let count = 0;

  connection.subscribe(`${inbox}.*`, {
    callback(_error, message) {
      const request = waiting.get(message.subject.slice(inbox.length + 1));
      if (request === undefined) return;
      const unserved = message.data.length === 0 && message.headers?.code === 503;
      if (unserved) sendAgain(request);
      else request.resolve({ kind: 'answer', data: message.data });
    },
  });

  function sendAgain(request: Waiting): void {
    request.sent = false;
    clock.timer(JETSTREAM_LIMITS.logRetryMs, () => {
      if (linkState() === 'up' && !request.sent) request.send();
    });
  }

  return {
    request(subject, data, { headers, timeoutMs }) {
      return new Promise((resolve) => {
        if (linkState() === 'closed') {
          resolve({ kind: 'none', why: 'the log is closed' });
          return;
        }
        const token = (++count).toString(36);
        const publishOptions = { reply: `${inbox}.${token}`, ...(headers === undefined ? {} : { headers }) };
        let cancel: Cancel = () => {};
        const request: Waiting = {
          sent: false,
          send() {
            if (!waiting.has(token)) return;
            request.sent = true;
            connection.publish(subject, data, publishOptions);
          },
          resolve(answer) {
            cancel();
            waiting.delete(token);
            resolve(answer);
          },
        };
        waiting.set(token, request);
        cancel = clock.timer(timeoutMs, () => request.resolve({ kind: 'none', why: 'no answer in time' }));
        if (linkState() === 'up') request.send();
      });
    },
    sendWaiting() {
      for (const request of waiting.values()) if (!request.sent) request.send();
    },
    giveUp(why, which) {
      for (const request of waiting.values()) {
        if (request.sent || which === 'all') request.resolve({ kind: 'none', why });
      }
    },
  };
}
