// The server for `tenon dev examples/apps/app.ts`, whose page shows the apps.
import { createBistro } from './server.ts';

export default await createBistro();
