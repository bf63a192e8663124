/** One message of an event stream. */
export interface SseMessage {
  id: string | undefined;
  data: Record<string, unknown>;
}

/** A reader of `GET /v1/events/events/stream`. */
export interface SseClient {
  readonly messages: readonly SseMessage[];
  close(): void;
}

/** Opens the stream; resolves once the service has answered 200. Reads until closed. */
export async function openStream(url: string, key: string, query = ''): Promise<SseClient> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/events/events/stream${query}`, {
    headers: { 'X-API-Key': key, Accept: 'text/event-stream' },
    signal: abort.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`the stream answered ${response.status}`);
  const messages: SseMessage[] = [];
  void collect(response.body, messages).catch(() => {});
  return { messages, close: () => abort.abort() };
}

async function collect(body: ReadableStream<Uint8Array>, messages: SseMessage[]): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]));
      const data = fields.get('data')?.slice('data:'.length);
      const id = fields.get('id')?.slice('id:'.length).trim();
      if (data !== undefined) messages.push({ id, data: JSON.parse(data) });
    }
  }
}
