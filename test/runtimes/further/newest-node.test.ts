import { describe } from 'vitest';
import { testRuntime } from '../process-suite.js';
import { NEWEST_NODE } from './installed.js';

describe('the newest Node, without a loader', () => testRuntime(NEWEST_NODE));
