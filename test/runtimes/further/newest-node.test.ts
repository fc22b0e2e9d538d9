import { describe } from 'vitest';
import { testExamples } from '../examples-suite.js';
import { testRuntime } from '../process-suite.js';
import { NEWEST_NODE } from './installed.js';

describe('the newest Node, without a loader', () => testRuntime(NEWEST_NODE));

describe('the examples on the newest Node, without a loader', () => testExamples(NEWEST_NODE));
