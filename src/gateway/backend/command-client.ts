import type { Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { createGathering } from '../../../core/kernel/flow/gathering.ts';
import { BACKEND_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { BackendMetrics } from './metrics.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';
import type { Query, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { type LocalGateway, NO_HANDED_COMMANDS } from '../../../core/vocabulary/commands/local-gateway.ts';
import { decodeReplies } from '../../../core/codec/codec.ts';
import { repliesSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';
import { pendingBytes } from './command-queue.ts';
import { createQuerySender } from './query-sender.ts';
import { createRequestPublisher } from './request-publisher.ts';
import { createWaiting } from './waiting.ts';

export interface CommandClientOptions {
  log: Log;
  clock: Clock;
  /** Unique per process incarnation; letters, digits and dashes. */
  gateway: string;
  partitions: number;
  /** The highest CONFIG revision this process has seen. */
  configRevision: () => number;
  logger: Logger;
  metrics: Pick<BackendMetrics, 'commandBatchSize' | 'commandsHandedOver' | 'commandsTimedOut'>;
}

/**
 * Sends a gateway's commands to REQUESTS in batches, or hands them to an owner in this process; sends its queries as
 * plain messages; receives the replies.
 */
export interface CommandClient extends Backend {
  /** Connects the owners of this process directly, without messages. */
  readonly local: LocalGateway;
  /** A read of live state of a whole partition. */
  queryPartition(origin: Origin, partition: number, body: QueryBody): Promise<Reply>;
  /** Resolves when every command was published or taken by an owner of this process. Replies may still be missing. */
  drained(): Promise<void>;
  close(): void;
}

export function createCommandClient(options: CommandClientOptions): CommandClient {
  const { log, clock, gateway, partitions, configRevision, logger, metrics } = options;
  const waiting = createWaiting(clock, (count) => metrics.commandsTimedOut.inc(count));
  const gathering = createGathering(clock, BACKEND_LIMITS.requestsGatherMs);
  const publishers = Array.from({ length: partitions }, (_, partition) =>
    createRequestPublisher({
      log,
      clock,
      gateway,
      partition,
      isWaiting: (requestId) => waiting.has(requestId),
      onRefused: (requestId, reply) => waiting.fail(requestId, reply),
      pendingBytes: pendingBytes(partitions),
      gathering,
      metrics,
    }),
  );
  const queries = createQuerySender({ log, clock, partitions });
  let requests = 0;

  const unsubscribe = log.subscribe(repliesSubject(gateway), (data) => {
    try {
      for (const addressed of decodeReplies(data)) waiting.complete(addressed);
    } catch (error) {
      logger.error({ err: error }, 'could not decode a message with replies');
    }
  });

  const nextRequestId = (): string => {
    requests += 1;
    return requests.toString(36);
  };
  const entityPartition = (entityId: string): number => partitionOf(entityId, partitions);

  function queryPartition(origin: Origin, partition: number, body: QueryBody): Promise<Reply> {
    const requestId = nextRequestId();
    const message: Query = {
      ...envelope(origin, gateway, requestId, configRevision()),
      deadlineAt: clock.wallMs() + SHARED_LIMITS.queryDeadlineMs,
      body,
    };
    return new Promise<Reply>((resolve) => {
      const onReply = (reply: Reply): void => {
        queries.forget(requestId);
        resolve(reply);
      };
      waiting.add(requestId, clock.monotonicMs() + SHARED_LIMITS.queryDeadlineMs, onReply);
      queries.add(partition, message);
    });
  }

  return {
    local: {
      gateway,
      receive(replies) {
        for (const addressed of replies) waiting.complete(addressed);
      },
      serve: (partition, take) => queries.serve(partition, take),
      commands: (partition, onWaiting) => publishers[partition]?.handOver(onWaiting) ?? NO_HANDED_COMMANDS,
    },
    partitionOf: entityPartition,
    send(origin, entityId, body) {
      const publisher = publishers[entityPartition(entityId)];
      const requestId = nextRequestId();
      const command = {
        ...envelope(origin, gateway, requestId, configRevision()),
        receivedAt: origin.receivedAt,
        ...(origin.by === undefined ? {} : { by: origin.by }),
        deadlineAt: clock.wallMs() + BACKEND_LIMITS.commandDeadlineMs,
        body,
      };
      return new Promise<Reply>((resolve) => {
        waiting.add(
          requestId,
          clock.monotonicMs() + BACKEND_LIMITS.commandDeadlineMs + BACKEND_LIMITS.commandGraceMs,
          resolve,
        );
        if (publisher?.add(command) !== true) waiting.fail(requestId, overloaded());
      });
    },
    query: (origin, playerId, body) => queryPartition(origin, entityPartition(playerId), body),
    queryPartition,
    async drained() {
      await Promise.all(publishers.map((publisher) => publisher.drained()));
    },
    close() {
      unsubscribe();
      queries.close();
      waiting.close();
    },
  };
}

function envelope(origin: Origin, replyTo: string, requestId: string, configRevision: number) {
  return { requestId, replyTo, game: origin.game, environment: origin.environment, configRevision };
}

const overloaded = (): Reply => failure('SERVICE_UNAVAILABLE', 'Too many writes are waiting. Nothing was changed.');
