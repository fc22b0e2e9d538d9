/** The beginning of a text, for messages: names and values of peers may be megabytes long. */
export function clip(text: string, length = 80): string {
  if (text.length <= length) return text;
  // Half of a surrogate pair is no character.
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
