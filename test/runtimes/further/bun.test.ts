import { describe } from 'vitest';
import { testRuntime } from '../process-suite.js';
import { BUN } from './installed.js';

describe('Bun', () => testRuntime(BUN, 'bun-server.ts'));
