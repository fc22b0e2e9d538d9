import { connect } from 'tenon/client';
import { message } from '../scenarios.js';
import { serveRuns } from './run.js';

serveRuns(async url => {
  const client = await connect(url, { info: { name: 'bench', version: '1.0.0' } });
  return async () => {
    const { content } = await client.callTool('echo', { message });
    return (content[0] as { text: string }).text;
  };
});
