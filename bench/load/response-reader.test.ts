import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createResponseReader } from './response-reader.ts';

const answer = (status: number, body: string) =>
  `HTTP/1.1 ${status} Some Reason\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('answers are told whole, once each, however the network cuts them', () => {
  const bytes = Buffer.from(answer(503, '{"success":false}'));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 5 }), (cuts) => {
      const reader = createResponseReader();
      for (let turn = 0; turn < 2; turn++) {
        const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
        const said = edges.slice(1).map((end, index) => reader.push(bytes.subarray(edges[index], end)));
        expect(said.at(-1)).toBe(503);
        expect(said.slice(0, -1).every((one) => one === undefined)).toBe(true);
      }
    }),
  );
});

test('an answer without a body is whole with its head', () => {
  expect(createResponseReader().push(Buffer.from(answer(204, '')))).toBe(204);
});

test('an answer of unknown length is refused', () => {
  const push = () => createResponseReader().push(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'));
  expect(push).toThrow('Content-Length');
});
