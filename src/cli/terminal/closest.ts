/** The candidate that a misspelled word most likely means; undefined if none is near. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (
      distance <= Math.max(1, Math.floor(wanted.length / 3)) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** How many characters have to be added, removed or replaced. Long texts are not compared. */
function editDistance(a: string, b: string): number {
  if (a.length > 100 || b.length > 100) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, character] of [...a].entries()) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column++) {
      const replaced = (previous[column] as number) + (b[column] === character ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}
