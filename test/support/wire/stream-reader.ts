import { get } from 'node:http';

/** One connection to the event stream that a test may pause or break. */
export interface StreamReader {
  /** `event_id`s of complete messages, in the order of arrival. */
  readonly eventIds: readonly string[];
  /** Messages of other types, in the order of arrival. */
  readonly types: readonly string[];
  /** The id of the last complete message with one. */
  readonly lastId: string | undefined;
  /** Whether the connection has ended, on either side. */
  readonly ended: boolean;
  /** Stops reading from the network until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface StreamReaderOptions {
  /** The gateway's URL. */
  url: string;
  key: string;
  /** Filters, including the question mark. */
  query?: string;
  lastEventId?: string | undefined;
  /** Breaks the connection after this many bytes of the body, even within a message. */
  cutAfterBytes?: number;
}

/** Connects and reads. Like any SSE client, it discards an incomplete message when the connection ends. */
export function readStream({ url, key, query = '', lastEventId, cutAfterBytes = Infinity }: StreamReaderOptions) {
  const eventIds: string[] = [];
  const types: string[] = [];
  let lastId: string | undefined;
  let ended = false;
  let paused = false;
  let text = '';
  let leftBytes = cutAfterBytes;

  const request = get(`${url}/v1/events/events/stream${query}`, {
    agent: false,
    headers: { 'X-API-Key': key, ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) },
  });
  const onEnd = (): void => {
    ended = true;
  };
  request.on('error', onEnd);
  request.on('close', onEnd);
  request.on('response', (response) => {
    // A refusal: what follows is not a stream.
    if (response.statusCode !== 200) return close();
    response.on('error', onEnd);
    response.on('data', (bytes: Buffer) => {
      if (ended) return;
      text += bytes.subarray(0, leftBytes).toString('latin1');
      leftBytes -= bytes.length;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) hear(block);
      if (leftBytes <= 0) close();
    });
    if (paused) response.pause();
    pause = () => response.pause();
    resume = () => response.resume();
  });
  let pause = (): void => {
    paused = true;
  };
  let resume = (): void => {
    paused = false;
  };

  function hear(block: string): void {
    lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
    const data = /^data: \{"type":"(\w+)"(?:,"event_id":"([^"]*)")?/m.exec(block);
    if (data?.[1] === 'event') eventIds.push(data[2] ?? '');
    else types.push(data?.[1] ?? `not a message: ${block}`);
  }

  function close(): void {
    ended = true;
    request.destroy();
  }

  const reader: StreamReader = {
    eventIds,
    types,
    get lastId() {
      return lastId;
    },
    get ended() {
      return ended;
    },
    pause: () => pause(),
    resume: () => resume(),
    close,
  };
  return reader;
}
