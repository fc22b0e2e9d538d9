import { Writable } from 'node:stream';

/**
 * Takes standard output for messages alone. Whatever else is printed, by `console.log` in a tool or in a
 * library, goes to standard error, because one stray line breaks the client.
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = ((...args: Parameters<typeof stderr.write>) => stderr.write(...args)) as typeof stdout.write;
  // Whoever pipes into standard output waits for it to drain; and nobody may want to read what is printed.
  stderr.on('drain', () => stdout.emit('drain'));
  stderr.on('error', () => {});
  const reserved = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      write(text, error => done(error));
    },
  });
  stdout.on('error', error => reserved.destroy(error));
  return reserved;
}
