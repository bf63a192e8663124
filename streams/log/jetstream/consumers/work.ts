import type { StreamName } from '../../../../core/vocabulary/stream-name.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { Stop, WorkItem, WorkOptions } from '../../log.ts';
import { openCursor } from './cursor.ts';
import type { Cursor, Delivery } from './cursor.ts';
import type { Link } from '../link.ts';
import type { ConsumerOptions } from '../manager.ts';
import { keepUp } from '../upkeep.ts';

const NANOS_PER_MS = 1_000_000;

/**
 * Takes records from a work queue through a durable consumer that all processes share by its name. The broker bounds
 * the records handed out (`maxInFlight`) and hands out again those not acknowledged in time, also after restarts.
 */
export function openWork(link: Link, clock: Clock, logger: Logger, stream: StreamName, options: WorkOptions): Stop {
  let stopped = false;
  let cursor: Cursor | undefined;

  async function attempt(): Promise<boolean> {
    const opened = await openCursor(link, clock, {
      stream,
      name: options.durable,
      config: consumerConfig(options),
      ordered: false,
      free: () => ({ records: LOG_LIMITS.readerBufferRecords, bytes: LOG_LIMITS.readerBufferBytes }),
      onDelivery: (delivery) => options.onItem(itemOf(link, delivery)),
      onBroken: (why) => {
        logger.debug({ stream, durable: options.durable, why }, 'a worker makes its consumer again');
        cursor = undefined;
        upkeep.again();
      },
    });
    if ('failed' in opened) {
      logger.warn({ stream, durable: options.durable, why: opened.failed }, 'a work queue cannot be opened');
      return false;
    }
    if (stopped || !link.up) {
      opened.close();
      return true;
    }
    cursor = opened;
    opened.pull();
    return true;
  }

  function letGo(): void {
    cursor?.close();
    cursor = undefined;
  }

  const upkeep = keepUp({
    link,
    clock,
    logger,
    what: `work on ${stream}`,
    missing: () => !stopped && cursor === undefined,
    attempt,
    letGo,
  });
  return () => {
    stopped = true;
    upkeep.stop();
    letGo();
  };
}

function itemOf(link: Link, { record, handedOut, ackSubject }: Delivery): WorkItem {
  return {
    record,
    handedOut,
    async ack() {
      const answer = await link.request(ackSubject, '+ACK', { timeoutMs: LOG_LIMITS.logRequestMs });
      return answer.kind === 'answer';
    },
    working: () => link.send(ackSubject, '+WPI'),
    retryIn: (delayMs) =>
      link.send(ackSubject, `-NAK ${JSON.stringify({ delay: Math.max(1, Math.round(delayMs * NANOS_PER_MS)) })}`),
  };
}

function consumerConfig(options: WorkOptions): ConsumerOptions {
  return {
    durable_name: options.durable,
    ack_policy: 'explicit',
    deliver_policy: 'all',
    ack_wait: options.ackWaitMs * NANOS_PER_MS,
    max_ack_pending: options.maxInFlight,
    max_deliver: -1,
    filter_subjects: [...options.subjects],
  };
}
