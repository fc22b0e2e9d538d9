/** Wraps a text into the codes of a colour, or leaves it as it is where there are no colours. */
export type Paint = (text: string) => string;

/** The colours of the command line. */
export interface Colours {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly cyan: Paint;
}

/** Colours for a stream: none unless it is a terminal, and none if the user wants none (`NO_COLOR`). */
export function coloursFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Colours {
  const isOn = env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : stream.isTTY === true;
  const isColoured = isOn && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint =
    (open: number, close: number): Paint =>
    text =>
      isColoured && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    cyan: paint(36, 39),
  };
}
