import { decodeCommands, decodeCommit, encodeCommands, encodeCommit } from '../core/codec/codec.ts';
import { pairsCase, type Pair } from './lib/figures/pairs.ts';
import { sampleCommand, sampleCommit } from './lib/service/samples/sample-records.ts';

/** Messages as short and as long as group commit makes them. */
const SIZES = [1, 100, 1_000];

export const codec = pairsCase(
  'codec',
  'Encode and decode messages of the log, beside JSON: per command or fact.',
  codecPairs,
);

/** Encoding and decoding of REQUESTS messages and FACTS records, beside JSON; per command or fact. */
function codecPairs(): Pair[] {
  return SIZES.flatMap((size) => {
    const commands = Array.from({ length: size }, (_, turn) => sampleCommand(turn));
    return [
      ...bothWays(`commands, ${size} a message`, size, commands, encodeCommands, decodeCommands),
      ...bothWays(`facts, ${size} a record`, size, sampleCommit(size), encodeCommit, decodeCommit),
    ];
  });
}

function bothWays<T>(
  name: string,
  operations: number,
  value: T,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => T,
): Pair[] {
  const encoded = encode(value);
  const json = Buffer.from(JSON.stringify(value));
  const sizes = `${Math.round(encoded.length / operations)} bytes each; JSON: ${Math.round(json.length / operations)}`;
  return [
    {
      name: `encode ${name} (${sizes})`,
      work: { operations, run: () => encode(value) },
      reference: { operations, run: () => Buffer.from(JSON.stringify(value)) },
      referenceName: 'JSON.stringify',
    },
    {
      name: `decode ${name}`,
      work: { operations, run: () => decode(encoded) },
      reference: { operations, run: (): unknown => JSON.parse(json.toString('utf8')) },
      referenceName: 'JSON.parse',
    },
  ];
}
