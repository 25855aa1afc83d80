const NUMBERS = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(\+.*)?$/;

/**
 * Whether version `a` came before `b`: `1.10.0` after `1.9.0`, a pre-release before its release. Null when one of them is no
 * version of three numbers: nobody can tell then.
 */
export function isOlderVersion(a: string, b: string): boolean | null {
  const [left, right] = [NUMBERS.exec(a), NUMBERS.exec(b)];
  if (!left || !right) return null;
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference < 0;
  }
  const [before, after] = [left[4], right[4]];
  if (before === after) return false;
  if (before === undefined || after === undefined) return before !== undefined;
  return before < after;
}
