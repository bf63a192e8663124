/** A message of an event stream. */
export interface SseMessage {
  /** Empty if it has none. */
  id: string;
  data: string;
}

/**
 * The messages of a body in the format of Server-Sent Events, as they arrive together. Comments and other fields are
 * left out.
 */
export async function* splitMessages(body: ReadableStream<Uint8Array> | null): AsyncGenerator<SseMessage[]> {
  if (body === null) return;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      const messages = blocks.map(parse).filter(({ data }) => data !== '');
      if (messages.length > 0) yield messages;
    }
  } finally {
    // Not awaited: a stream that hangs must not hold up the next one.
    reader.cancel().catch(() => {});
  }
}

function parse(block: string): SseMessage {
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
  return { id, data: data.join('\n') };
}
