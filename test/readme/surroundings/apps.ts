import { Server } from 'tenon';
import { z } from 'zod';

export { z };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const mapPage = '<!doctype html><title>Map</title>';
export const boardPage = '<!doctype html><title>Board</title>';
