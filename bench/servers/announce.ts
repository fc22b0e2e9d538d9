/** Tells the benchmark the URL of this server and the token that it requires; the process ends with the benchmark. */
export function announce(url: string, token?: string): void {
  process.on('disconnect', () => process.exit());
  if (process.send) process.send({ url, token });
  else console.log(url);
}

/** The number of tools that this server has to offer. */
export const toolCount = Number(process.argv[2] ?? 50);
