import { deflateSync } from 'node:zlib';
import type { ImageContent } from 'tenon';
import type { Dish } from './house.ts';

const SIZE = 64;
const PLATE = [245, 245, 240] as const;
const CLOTH = [92, 60, 46] as const;

/** The picture of a dish, to be returned by a tool or a prompt. */
export function pictureOf({ colour }: Dish): ImageContent {
  return { type: 'image', data: Buffer.from(drawPlate(colour)).toString('base64'), mimeType: 'image/png' };
}

/** A plate with something on it, seen from above, as a PNG. */
export function drawPlate(colour: readonly [number, number, number]): Uint8Array {
  return createPng(SIZE, (x, y) => {
    const distance = Math.hypot(x - SIZE / 2, y - SIZE / 2);
    if (distance < SIZE * 0.28) return colour;
    return distance < SIZE * 0.45 ? PLATE : CLOTH;
  });
}

function createPng(size: number, pixel: (x: number, y: number) => readonly number[]): Uint8Array {
  const rows = Array.from({ length: size }, (_, y) => {
    // Each row begins with the number of its filter; 0 is none.
    return [0, ...Array.from({ length: size }, (_, x) => pixel(x, y)).flat()];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
