/** What the page of the test does: lists and calls, over HTTP, from within a browser. */
import { connect } from '../../src/client/index.js';

Object.assign(globalThis, {
  async useServer(url: string, revision?: string) {
    const client = await connect(url, {
      ...(revision && { revision }),
      onElicit: () => ({ action: 'accept', content: { guests: 4 } }),
    });
    const tools = await client.tools();
    const { structuredContent } = await client.callTool('reserve', { restaurant: 'Chez Nous' });
    const found = client.revision;
    await client.close();
    return { revision: found, tools: tools.map(({ name }) => name), structuredContent };
  },
});
