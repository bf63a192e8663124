import { RefusedRequest } from '../../../../clickhouse-schema/queries/statements/exceptions.ts';
import { parseNativeType, type NativeType } from './native-types.ts';

/*
 * Blocks of the Native format for clients that say which revision of it they read (`client_protocol_version`), as
 * clickhouse-go does. The embedded engine writes revision 0 only. From revision 1 a block begins with its info, and
 * from 54,454 a byte before the data of each column says whether its serialization is a special one.
 */

const WITH_SERIALIZATION = 54_454;
/** Not an overflow block (field 1), bucket -1 (field 2), end. */
const BLOCK_INFO = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);
const USUAL = Buffer.from([0]);

/** @param types the whole types of the columns, where the engine shortens them; see `hidesZone` */
export function atRevision(chunk: Buffer, revision: number, types?: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  const reader = new BlockReader(chunk);
  while (reader.at < chunk.length) {
    parts.push(BLOCK_INFO);
    const start = reader.at;
    const columns = reader.varint();
    const rows = reader.varint();
    parts.push(chunk.subarray(start, reader.at));
    for (let column = 0; column < columns; column++) {
      const name = reader.text();
      const type = reader.text();
      parts.push(lengthAndText(name), lengthAndText(types?.[column] ?? type));
      if (revision >= WITH_SERIALIZATION) parts.push(USUAL);
      const data = reader.at;
      if (rows > 0) reader.skip(sized(name, type), rows);
      parts.push(chunk.subarray(data, reader.at));
    }
  }
  return Buffer.concat(parts);
}

/** A block without rows. */
export function emptyBlock(columns: readonly { name: string; type: string }[], revision: number): Buffer {
  const parts = [Buffer.from(revision > 0 ? BLOCK_INFO : []), varint(columns.length), varint(0)];
  for (const { name, type } of columns) {
    parts.push(lengthAndText(name), lengthAndText(type), revision >= WITH_SERIALIZATION ? USUAL : Buffer.alloc(0));
  }
  return Buffer.concat(parts);
}

/** Whether a column has the type `DateTime`: revision 0 leaves its time zone out. */
export function hidesZone(chunk: Buffer): boolean {
  const reader = new BlockReader(chunk);
  if (chunk.length === 0) return false;
  const columns = reader.varint();
  const rows = reader.varint();
  for (let column = 0; column < columns; column++) {
    const name = reader.text();
    const type = reader.text();
    if (type === 'DateTime') return true;
    if (rows > 0) reader.skip(sized(name, type), rows);
  }
  return false;
}

function sized(name: string, text: string): NativeType {
  const type = parseNativeType(text);
  if (type !== undefined) return type;
  throw new RefusedRequest(
    'UNSUPPORTED_METHOD',
    `The column ${name.slice(0, 100)} has the type ${text.slice(0, 100)}, which Native with client_protocol_version ` +
      'cannot carry here. Convert it, as with toString(), or use another format',
  );
}

function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Keys are added to the dictionary of the block: bit 9 of the word before it. */
const HAS_KEYS = 0x200;

class BlockReader {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.at] ?? 0;
      this.at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.varint();
    this.at += length;
    return this.#bytes.toString('utf8', this.at - length, this.at);
  }

  /** The data of a column: first the states of all its parts, then their values. */
  skip(type: NativeType, rows: number): void {
    this.#skipStates(type);
    this.#skipValues(type, rows);
    if (this.at > this.#bytes.length) throw new Error('a block of the Native format ends too early');
  }

  #skipStates(type: NativeType): void {
    if (type.kind === 'lowCardinality') this.at += 8;
    else if (type.kind === 'tuple') for (const part of type.of) this.#skipStates(part);
    else if (type.kind === 'array' || type.kind === 'nullable') this.#skipStates(type.of);
  }

  #skipValues(type: NativeType, rows: number): void {
    switch (type.kind) {
      case 'fixed':
        this.at += type.sizeBytes * rows;
        return;
      case 'string':
        for (let row = 0; row < rows; row++) {
          const length = this.varint();
          this.at += length;
        }
        return;
      case 'nullable':
        this.at += rows;
        this.#skipValues(type.of, rows);
        return;
      case 'tuple':
        // An empty tuple has one byte a row.
        if (type.of.length === 0) this.at += rows;
        for (const part of type.of) this.#skipValues(part, rows);
        return;
      case 'array': {
        const end = this.at + 8 * rows;
        const total = rows === 0 ? 0 : Number(this.#bytes.readBigUInt64LE(end - 8));
        this.at = end;
        this.#skipValues(type.of, total);
        return;
      }
      case 'lowCardinality':
        this.#skipDictionary(type.of, rows);
    }
  }

  #skipDictionary(type: NativeType, rows: number): void {
    if (rows === 0) return;
    const flags = this.#word();
    if ((flags & HAS_KEYS) !== 0) {
      // The key 0 of a nullable type stands for NULL.
      this.#skipValues(type.kind === 'nullable' ? type.of : type, this.#word());
    }
    const indexes = this.#word();
    this.at += indexes * 2 ** (flags & 0xff);
  }

  #word(): number {
    this.at += 8;
    return Number(this.#bytes.readBigUInt64LE(this.at - 8));
  }
}
