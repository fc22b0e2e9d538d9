// A bistro with two apps: node --import tsx examples/apps/main.ts
import { listen } from 'tenon/node';
import { createBistro } from './server.ts';

const { url } = await listen(await createBistro(), { port: Number(process.env.PORT ?? 3000) });
console.log(`the apps are served at ${url}`);
