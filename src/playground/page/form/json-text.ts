/** The value of a text in the JSON editor; an empty text stands for no value. */
export function readJson(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The text of a value in the JSON editor. */
export function writeJson(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
