import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Reads a file of a folder whose own path has no links. Throws if any part of the path below it is a link, if it is not
 * a file, or if it changes meanwhile.
 */
export async function readInside(folder: string, path: string): Promise<Uint8Array> {
  const place = join(folder, path);
  // Without O_NONBLOCK, opening a pipe that replaced the file would wait for a writer.
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || (await realpath(place)) !== place) throw new Error(`${place} is not a plain file`);
    const bytes = await file.readFile();
    if (bytes.length !== stats.size) throw new Error(`${place} changed while it was read`);
    return bytes;
  } finally {
    await file.close();
  }
}
