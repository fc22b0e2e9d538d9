import { expect, it } from 'vitest';
import { pictureProtocol, showPicture } from './picture.js';

it.each([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
  [{ TERM_PROGRAM: 'vscode' }, 'iterm'],
  [{ TERM: 'xterm-256color' }, undefined],
  [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, undefined],
])('a terminal with %j shows pictures by the protocol %s', (env, protocol) => {
  expect(pictureProtocol(env)).toBe(protocol);
});

it('a picture is sent in chunks to kitty, which takes PNG only', () => {
  const [, ...chunks] = (showPicture(new Uint8Array(4000), 'image/png', 'kitty') as string).split('\x1b_G');
  expect(chunks.map(chunk => chunk.split(';')[0])).toEqual(['a=T,f=100,m=1', 'm=0']);
  expect(showPicture(new Uint8Array(9), 'image/gif', 'kitty')).toBeUndefined();
});

it('a picture is sent at once to iTerm2', () => {
  const text = showPicture(new Uint8Array(3), 'image/gif', 'iterm');
  expect(text).toBe('\x1b]1337;File=inline=1;size=3;preserveAspectRatio=1:AAAA\x07\n');
});
