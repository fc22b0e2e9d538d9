// The bistro as a file that exports its server: `npm start` runs it with `tenon dev`, or `PORT=8080 npm start`.
import { createBistro } from './server.ts';
import { timing } from './timing.ts';

const bistro = createBistro();
bistro.use(timing);

export default bistro;
