import { crc32, deflateSync, inflateSync } from 'node:zlib';

/*
 * Screenshots with a palette of 256 colors, which are a third of the size. Screens have few colors; most of the others
 * are shades at the edges of letters, and take the nearest color of the palette.
 */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const HEADER_BYTES = 13;
const MOST_COLORS = 256;
/** So many colors are in the palette because they are frequent; the others, because they differ from these. */
const FREQUENT_COLORS = 160;
const PALETTE_TYPE = 3;
/** Bytes of a pixel by the color type of the header: RGB and RGBA. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

/** @param png of 8 bits, not interlaced, as browsers write it */
export function withPalette(png: Uint8Array): Buffer {
  const { width, height, pixelBytes, rows } = decoded(Buffer.from(png));
  const colors = new Uint32Array(width * height);
  for (let at = 0; at < colors.length; at++) colors[at] = rows.readUIntBE(at * pixelBytes, 3);
  const { palette, placeOf } = paletteOf(colors);
  const lines = Buffer.alloc(height * (width + 1));
  for (const [at, color] of colors.entries()) {
    const row = Math.floor(at / width);
    lines[at + row + 1] = placeOf.get(color) ?? 0;
  }
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE_TYPE, 0, 0, 0], 8);
  const bytes = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', bytes),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function paletteOf(colors: Uint32Array): { palette: number[]; placeOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = byCount.slice(0, FREQUENT_COLORS);
  const rest = byCount.slice(FREQUENT_COLORS).map((color) => ({
    color,
    weight: Math.sqrt(counts.get(color) ?? 0),
    distance: Math.min(...palette.map((each) => distance(each, color))),
  }));
  while (palette.length < MOST_COLORS && rest.length > 0) {
    const losses = rest.map((each) => each.distance * each.weight);
    const [chosen] = rest.splice(losses.indexOf(Math.max(...losses)), 1);
    if (chosen === undefined) break;
    palette.push(chosen.color);
    for (const each of rest) each.distance = Math.min(each.distance, distance(chosen.color, each.color));
  }
  return { palette, placeOf: new Map(byCount.map((color) => [color, nearest(palette, color)])) };
}

function nearest(palette: readonly number[], color: number): number {
  let [place, least] = [0, Infinity];
  for (const [at, each] of palette.entries()) {
    const difference = distance(each, color);
    if (difference < least) [place, least] = [at, difference];
  }
  return place;
}

/** The square of it. */
function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, bits) => sum + (((one >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0);
}

function decoded(png: Buffer): { width: number; height: number; pixelBytes: number; rows: Buffer } {
  const header = png.subarray(16, 16 + HEADER_BYTES);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const pixelBytes = PIXEL_BYTES[header[9] ?? 0];
  if (pixelBytes === undefined || header[8] !== 8 || header[12] !== 0) throw new Error('not a picture of a browser');
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return {
    width,
    height,
    pixelBytes,
    rows: unfiltered(inflateSync(Buffer.concat(parts)), width * pixelBytes, pixelBytes),
  };
}

/** Undoes the filters of the rows (PNG specification, section 9). */
function unfiltered(filtered: Buffer, rowBytes: number, pixelBytes: number): Buffer {
  const rows = Buffer.alloc((filtered.length / (rowBytes + 1)) * rowBytes);
  for (let row = 0; row * rowBytes < rows.length; row++) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let at = 0; at < rowBytes; at++) {
      const place = row * rowBytes + at;
      const left = at < pixelBytes ? 0 : (rows[place - pixelBytes] ?? 0);
      const up = row === 0 ? 0 : (rows[place - rowBytes] ?? 0);
      const corner = row === 0 || at < pixelBytes ? 0 : (rows[place - rowBytes - pixelBytes] ?? 0);
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      rows[place] = (filtered[row * (rowBytes + 1) + 1 + at] ?? 0) + (guesses[filter] ?? 0);
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(content.length, 0);
  bytes.set(named, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}
