/** The scopes in a text, each once. */
export function readScopes(text: string | undefined): string[] {
  return [...new Set(text?.split(' ').filter(scope => scope !== ''))];
}

export function uniteScopes(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

export function coversScopes(held: readonly string[], needed: readonly string[]): boolean {
  return needed.every(scope => held.includes(scope));
}
