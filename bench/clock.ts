/** Milliseconds on a clock that all processes of the machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
