import { createHash } from 'node:crypto';

type Entry = Record<string, unknown>;

const feed = (hash: ReturnType<typeof createHash>, entry: Entry): void => {
  for (const key of Object.keys(entry).sort()) {
    const value = entry[key];
    // Nested values, such as the errors of a rule, do not count.
    if (value === undefined || value === null || typeof value === 'object') continue;
    hash.update(`${key}:${value}\n`);
  }
};

/** Digest of a list (rules, set entries, aliases, groups): SHA-1 over all its scalar fields in order. */
export function computeListDigest(entries: readonly Entry[]): string {
  const hash = createHash('sha1');
  for (const entry of entries) feed(hash, entry);
  return hash.digest('hex');
}

/** Digest of an options object. */
export const computeObjectDigest = (entry: Entry): string => computeListDigest([entry]);

/** Copies of the entries with the list's digest in each, as every list is returned. */
export function withDigest<T extends Entry>(entries: readonly T[]): (T & { digest: string })[] {
  const digest = computeListDigest(entries);
  return entries.map((entry) => ({ ...entry, digest }));
}
