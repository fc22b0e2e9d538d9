import { Writable } from 'node:stream';

/**
 * Reserves standard output for messages. Other output, such as `console.log` in a tool or a library, goes to
 * standard error, because one stray line breaks the client.
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = ((...args: Parameters<typeof stderr.write>) => stderr.write(...args)) as typeof stdout.write;
  // Streams that pipe into standard output wait for its "drain". A closed standard error must not end the process.
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
