import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Content of a small JSON file, null when it is missing or damaged: then one starts afresh. */
export function readStateFile<T>(path: string, accept: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return accept(value) ? value : null;
  } catch {
    return null;
  }
}

/** Replaces a small JSON file; readers see the old or the new content. @throws Error of the system */
export function writeStateFile(path: string, value: unknown, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.tmp`, `${JSON.stringify(value)}\n`, { mode });
  renameSync(`${path}.tmp`, path);
}
