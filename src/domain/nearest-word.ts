/** How many letters two words differ in: inserted, left out, exchanged, or swapped with the next. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const steps = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1)];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push((before[j - 2] ?? 0) + 1);
      next.push(Math.min(...steps));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** The word that was probably meant; null when none is near. One that contains the other counts as near. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(written.length / 3));
  const near = words
    .map((word) => ({ word, steps: distance(written, word) }))
    .filter(
      ({ word, steps }) => steps <= most || (written.length > 2 && (word.includes(written) || written.includes(word))),
    )
    .sort((a, b) => a.steps - b.steps);
  return near[0]?.word ?? null;
}
