// The bistro as a file that exports its server: `npm start` runs it with `tenon dev`, or `PORT=8080 npm start`.
import { createBistro } from './server.js';
import { timing } from './timing.js';

const bistro = createBistro();
bistro.use(timing);

export default bistro;
