/** Tells the benchmark where this server listens, and what token it wants; ends the process with it. */
export function announce(url: string, token?: string): void {
  process.on('disconnect', () => process.exit());
  if (process.send) process.send({ url, token });
  else console.log(url);
}

/** The number of tools this server was asked to offer. */
export const toolCount = Number(process.argv[2] ?? 50);
