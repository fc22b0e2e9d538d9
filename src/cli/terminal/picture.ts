/** How a terminal can show a picture inside its text. */
export type PictureProtocol = 'kitty' | 'iterm';

/** The protocol that this terminal is known to understand, by what it says of itself in its environment. */
export function pictureProtocol(env: NodeJS.ProcessEnv = process.env): PictureProtocol | undefined {
  // Multiplexers pass none of them on by default.
  if (env.TMUX || env.STY || /^(screen|tmux)/.test(env.TERM ?? '')) return undefined;
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  if (
    env.KITTY_WINDOW_ID ||
    TERM === 'xterm-kitty' ||
    TERM === 'xterm-ghostty' ||
    TERM_PROGRAM === 'ghostty'
  ) {
    return 'kitty';
  }
  if (TERM_PROGRAM === 'iTerm.app' || LC_TERMINAL === 'iTerm2' || TERM_PROGRAM === 'WezTerm') return 'iterm';
  return TERM_PROGRAM === 'vscode' || env.KONSOLE_VERSION || TERM_PROGRAM === 'mintty' ? 'iterm' : undefined;
}

/** The text that shows a picture; undefined if the protocol cannot carry this type. */
export function showPicture(
  data: Uint8Array,
  mimeType: string,
  protocol: PictureProtocol,
): string | undefined {
  const base64 = Buffer.from(data).toString('base64');
  if (protocol === 'iterm')
    return `\x1b]1337;File=inline=1;size=${data.length};preserveAspectRatio=1:${base64}\x07\n`;
  // Kitty takes PNG as it is, and of other formats only pixels.
  if (mimeType !== 'image/png') return undefined;
  const chunks = base64.match(/.{1,4096}/g) ?? [];
  const parts = chunks.map((chunk, index) => {
    const first = index === 0 ? 'a=T,f=100,' : '';
    return `\x1b_G${first}m=${index < chunks.length - 1 ? 1 : 0};${chunk}\x1b\\`;
  });
  return `${parts.join('')}\n`;
}
