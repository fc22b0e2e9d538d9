import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { screenshotOf } from './browser.js';

// UPDATE_PICTURES=1 writes the pictures that the README shows.
const FOLDER = process.env.UPDATE_PICTURES
  ? fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
  : await mkdtemp(join(tmpdir(), 'tenon-pictures-'));

/** Saves a picture of what the page shows now. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await screenshotOf(page, { path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}
