import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { bistroUrl } from './bistro.js';

export { z };

export const url = bistroUrl;
export const server = new McpServer({ name: 'bistro', version: '1.0.0' }, { capabilities: { logging: {} } });
