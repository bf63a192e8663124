import { expect, test } from 'vitest';
import { summariseAllocations } from './allocation-profile.ts';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });

test('bytes are added up by function, largest first, native ones by their caller', () => {
  const parse = { callFrame: frame('parse'), selfSize: 30, children: [] };
  const decode = (children: [] | [typeof parse]) => ({
    callFrame: frame('decode', 'file:///x/core/codec/codec.ts', 4),
    selfSize: 10,
    children,
  });
  const head = { callFrame: frame('(root)'), selfSize: 0, children: [decode([parse]), decode([])] };
  expect(summariseAllocations({ head })).toEqual({
    bytes: 50,
    functions: [
      { name: 'parse ← core/codec/codec.ts', bytes: 30 },
      { name: 'decode core/codec/codec.ts:5', bytes: 20 },
      { name: '(root)', bytes: 0 },
    ],
  });
});
