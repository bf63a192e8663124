/** A message of an event stream. */
export interface SseMessage {
  /** Empty if it has none. */
  id: string;
  data: string;
}

/** Messages that are handed on at once. After a pause thousands may arrive together, which would hold up a frame. */
const MOST_AT_ONCE = 250;

/**
 * The messages of a body in the format of Server-Sent Events, as they arrive together, with other work of the page
 * between two groups. Comments and other fields are left out.
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
      for (let from = 0; from < blocks.length; from += MOST_AT_ONCE) {
        if (from > 0) await new Promise((resolve) => void setTimeout(resolve));
        const messages = blocks.slice(from, from + MOST_AT_ONCE).map(parse);
        yield messages.filter(({ data }) => data !== '');
      }
    }
  } finally {
    // Not awaited: a stream that hangs must not hold up the next one.
    reader.cancel().catch(() => {});
  }
}

function parse(block: string): SseMessage {
  // Nearly all messages are an id and one line of data.
  const end = block.indexOf('\n');
  if (block.startsWith('id: ') && block.startsWith('data: ', end + 1) && !block.includes('\n', end + 1)) {
    return { id: block.slice(4, end), data: block.slice(end + 7) };
  }
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
  return { id, data: data.join('\n') };
}
