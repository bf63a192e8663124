import { array, assert, constantFrom, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createFieldScanner } from './field-scanner.ts';

function fieldsOf(mark: string, end: string, pieces: readonly Buffer[]): string[] {
  const fields: string[] = [];
  const scan = createFieldScanner(mark, end, (text) => fields.push(text));
  for (const piece of pieces) scan(piece);
  return fields;
}

test('ids are found between the messages of a stream, with what follows them up to the type', () => {
  const text =
    'HTTP/1.1 200 OK\r\n\r\n2f\r\nid: ab-1-end\ndata: {"type":"connected","game_id":"demo"}\n\n\r\n' +
    '99\r\nid: ab-2-0\ndata: {"type":"event","event_id":"1"}\n\nid: ab-2-1\ndata: {"type":"event","event_id":"2"}\n\n\r\n';
  expect(fieldsOf('id: ', ',', [Buffer.from(text)])).toEqual([
    'ab-1-end\ndata: {"type":"connected"',
    'ab-2-0\ndata: {"type":"event"',
    'ab-2-1\ndata: {"type":"event"',
  ]);
});

test('wherever the bytes are cut, the same fields are found', () => {
  const alphabet = constantFrom('a', 'b', ':', ',', 'x');
  assert(
    property(
      array(alphabet, { maxLength: 60 }),
      array(integer({ min: 0, max: 60 }), { maxLength: 8 }),
      (chars, cuts) => {
        const bytes = Buffer.from(chars.join(''));
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(fieldsOf('ab:', ',', pieces)).toEqual(fieldsOf('ab:', ',', [bytes]));
      },
    ),
  );
});
