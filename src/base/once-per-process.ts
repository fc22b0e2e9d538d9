const told = new Set<string>();

/** Tells a text the first time only, also if programs create a new server for every request. */
export function tellOncePerProcess(text: string, tell: (text: string) => void): void {
  if (told.has(text)) return;
  told.add(text);
  tell(text);
}
