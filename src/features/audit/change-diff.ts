/** One leaf that differs, or stayed the same, between two states. `undefined` is absent, which is not null. */
export type ChangeLine = {
  path: string;
  before: unknown;
  after: unknown;
  kind: 'added' | 'removed' | 'changed' | 'same';
};

const isBranch = (value: unknown): value is Record<string, unknown> | unknown[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function collect(value: unknown, path: string, into: Map<string, unknown>): void {
  if (!isBranch(value)) {
    if (value !== undefined) into.set(path, value);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    collect(item, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key, into);
  }
}

/** Leaves of a value by dotted path. The value itself, when it is no object, has the path `''`. */
function leaves(value: unknown): Map<string, unknown> {
  const into = new Map<string, unknown>();
  if (value !== null && value !== undefined) collect(value, '', into);
  return into;
}

/** What differs between two JSON values, leaf by leaf: changes first in the order of `after`, then what stayed the same. */
export function changeDiff(before: unknown, after: unknown): ChangeLine[] {
  const old = leaves(before);
  const now = leaves(after);
  const lines = [...new Set([...now.keys(), ...old.keys()])].map((path): ChangeLine => {
    const line = { path, before: old.get(path), after: now.get(path) };
    if (!old.has(path)) return { ...line, kind: 'added' };
    if (!now.has(path)) return { ...line, kind: 'removed' };
    return { ...line, kind: JSON.stringify(line.before) === JSON.stringify(line.after) ? 'same' : 'changed' };
  });
  return [...lines.filter((line) => line.kind !== 'same'), ...lines.filter((line) => line.kind === 'same')];
}

/** A leaf as text. Texts are shown as they are; an empty one is made visible. */
export function leafText(value: unknown): string {
  if (value === '') return '""';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
