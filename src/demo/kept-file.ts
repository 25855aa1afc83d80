import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

/** What the demo remembers between starts: one JSON file, readable by this user only, replaced whole or not at all. */
export class KeptFile<T> {
  readonly #path: string;
  readonly #schema: z.ZodType<T>;
  #written = '';

  constructor(path: string, schema: z.ZodType<T>) {
    this.#path = path;
    this.#schema = schema;
  }

  /** What was kept; undefined when there is nothing, or nothing that this version understands. */
  read(): T | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return this.#schema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  /** Does nothing when this object has written the same before. */
  write(value: T): void {
    const text = JSON.stringify(value);
    if (text === this.#written) return;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.part`, text, { mode: 0o600 });
    renameSync(`${this.#path}.part`, this.#path);
    this.#written = text;
  }
}
