import fc from 'fast-check';

const SCRIPT = 'window.hacked=1';

/** Pieces of which attacks on web pages are made. */
const PIECES = [
  `<script>${SCRIPT}</script>`,
  `<img src=x onerror="${SCRIPT}">`,
  `<svg onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
  `<iframe srcdoc="<script>parent.hacked=1</script>">`,
  `<a href="javascript:${SCRIPT}">`,
  `<math><mtext></table><style onload=${SCRIPT}>`,
  `javascript:${SCRIPT}`,
  `JAVA\tSCRIPT:${SCRIPT}`,
  `&#106;avascript:${SCRIPT}`,
  `data:text/html,<script>${SCRIPT}</script>`,
  'https://tracker.example/pixel.png',
  '" onmouseover="',
  '](',
  '[',
  '![',
  ')',
  '**',
  '__',
  '*',
  '`',
  '```',
  '~~~',
  '#',
  '> ',
  '- ',
  '1. ',
  '|',
  '| --- |',
  '\n',
  '\n\n',
  '\\',
  '<',
  '>',
  '<!--',
  ']]>',
  '\u0000',
  '\u202e',
  '</p>',
  '</textarea>',
  '${',
  '{{',
];

/** Texts of a hostile server: HTML, SVG and Markdown in any order, also broken. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ arbitrary: fc.constantFrom(...PIECES), weight: 4 }, fc.string({ maxLength: 8 })), {
    minLength: 1,
    maxLength: 14,
  })
  .map(pieces => pieces.join(''));
