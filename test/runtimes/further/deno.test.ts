import { describe } from 'vitest';
import { testRuntime } from '../process-suite.js';
import { DENO } from './installed.js';

describe('Deno', () => testRuntime(DENO, 'deno-server.ts'));
