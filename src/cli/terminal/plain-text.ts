/** Escape sequences of terminals: CSI, OSC and its kin with their texts, and the short ones. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** Control characters but tab and line feed, and those that reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from a server, without what could control a terminal: colours, cursor moves, titles, links, bells. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}
