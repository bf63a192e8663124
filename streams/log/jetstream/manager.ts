import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';

/** The calls of the client library's manager that the log uses, with the parts of their answers that it reads. */
export interface Manager {
  streams: {
    info(name: string, options?: { subjects_filter: string; deleted_details: boolean }): Promise<StreamDescription>;
    add: JetStreamManager['streams']['add'];
    update: JetStreamManager['streams']['update'];
    purge: JetStreamManager['streams']['purge'];
    getMessage(stream: string, query: MessageQuery): Promise<LibraryMessage | null>;
  };
  consumers: {
    add(stream: string, config: ConsumerOptions): Promise<{ num_pending: number }>;
    update(stream: string, durable: string, config: ConsumerOptions): Promise<{ num_pending: number }>;
    info(stream: string, name: string): Promise<{ num_pending: number }>;
    delete(stream: string, name: string): Promise<boolean>;
  };
}

export type ConsumerOptions = Parameters<JetStreamManager['consumers']['add']>[1];

/** The part of a stream's description that the log reads. Times are RFC 3339 with nanoseconds. */
export type StreamDescription = Pick<StreamInfo, 'created'> & {
  config: Pick<StreamInfo['config'], 'max_bytes'>;
  state: Pick<StreamInfo['state'], 'messages' | 'bytes' | 'first_seq' | 'last_seq' | 'last_ts' | 'subjects'>;
};

export type MessageQuery = { seq: number; next_by_subj?: string } | { last_by_subj: string };

interface LibraryMessage {
  subject: string;
  seq: number;
  timestamp: string;
  data: Uint8Array;
  header: { get(name: string): string };
}
