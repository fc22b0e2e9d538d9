// Loaded before a server: writes its process id, and the method of each message that it gets, to stderr.
console.error(`[pid] ${process.pid}`);
const { emit } = process.stdin;
let rest = '';
process.stdin.emit = function (event, ...args) {
  if (event === 'data') {
    const lines = (rest + args[0]).split('\n');
    rest = lines.pop();
    for (const line of lines) console.error(`[got] ${JSON.parse(line).method ?? 'answer'}`);
  }
  return emit.call(this, event, ...args);
};
