// An issue tracker on SQLite: node --import tsx examples/tracker/main.ts issues.db
import { listen } from 'tenon/node';
import { Issues } from './database.ts';
import { createTracker } from './server.ts';

const [file = 'issues.db'] = process.argv.slice(2);
const { url } = await listen(createTracker(new Issues(file)), { port: Number(process.env.PORT ?? 3000) });
console.log(`${file} is served at ${url}`);
