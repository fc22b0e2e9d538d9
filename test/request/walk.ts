// Walks one way of a request and prints the files that it passes. The files are those that users run, not the ones
// that the test runner rewrites: there, to read a constant is to call a function.
import { WAYS } from './ways.js';

const walk = WAYS[process.argv[2] ?? ''];
if (!walk) throw new Error(`unknown way: ${process.argv[2]}`);
console.log(JSON.stringify(await walk()));
process.exit();
