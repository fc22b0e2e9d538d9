// Runs the snippets of one page in one process, in order, then the checks of its surroundings.
const [page, surroundings, ...programs] = process.argv.slice(2);
await import('./surroundings/listening.ts');

const snippets = [];
for (const program of programs) {
  try {
    snippets.push(await import(program));
  } catch (error) {
    console.error(`${page}, ${program}:`, error);
    process.exit(1);
  }
}
const { check } = surroundings ? await import(surroundings) : {};
await check?.(snippets);
// Snippets leave servers and clients open.
console.error(`ran ${programs.length} snippets of ${page}`);
process.exit(0);
