import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createResponseReader } from './response-reader.ts';

const answer = (status: number, body: string) =>
  `HTTP/1.1 ${status} Some Reason\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test('answers are told whole, once each, however the network cuts them, and their bodies where they are wanted', () => {
  const text = '{"success":false,"name":"Åsa"}';
  const bytes = Buffer.from(answer(503, text));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 5 }), (cuts) => {
      const reader = createResponseReader();
      for (let turn = 0; turn < 3; turn++) {
        if (turn === 1) reader.wantBody();
        const edges = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
        const said = edges.slice(1).map((end, index) => reader.push(Buffer.from(bytes.subarray(edges[index], end))));
        expect(said.at(-1)).toBe(503);
        expect(said.slice(0, -1).every((one) => one === undefined)).toBe(true);
        expect(reader.body).toBe(turn === 1 ? text : '');
      }
    }),
  );
});

test('a body that was read over memory since written to is still itself', () => {
  const bytes = Buffer.from(answer(200, '{"data":"abcdef"}'));
  const memory = Buffer.alloc(bytes.length);
  const reader = createResponseReader();
  reader.wantBody();
  let status: number | undefined;
  for (const at of [0, 50, bytes.length - 4]) {
    const end = at === 0 ? 50 : at === 50 ? bytes.length - 4 : bytes.length;
    const sizeBytes = bytes.copy(memory, 0, at, end);
    status = reader.push(memory.subarray(0, sizeBytes));
  }
  expect(status).toBe(200);
  expect(reader.body).toBe('{"data":"abcdef"}');
});

test('an answer without a body is whole with its head', () => {
  const reader = createResponseReader();
  reader.wantBody();
  expect(reader.push(Buffer.from(answer(204, '')))).toBe(204);
  expect(reader.body).toBe('');
});

test('an answer of unknown length is refused', () => {
  const push = () => createResponseReader().push(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'));
  expect(push).toThrow('Content-Length');
});
