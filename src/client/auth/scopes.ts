import { UsageError } from '../../base/errors.js';

/** Reads the author's scopes. JavaScript callers may pass one string, the form that OAuth uses; that is refused. */
export function givenScopes(scopes: readonly string[] = []): string[] {
  if (!Array.isArray(scopes)) throw new UsageError("scopes must be a list, such as ['files:read']");
  return uniteScopes(scopes);
}

/** The scopes in a space-separated text, each once. */
export function parseScopes(text: string | undefined): string[] {
  return [...new Set(text?.split(' ').filter(scope => scope !== ''))];
}

export function uniteScopes(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

export function coversScopes(held: readonly string[], needed: readonly string[]): boolean {
  return needed.every(scope => held.includes(scope));
}
