import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@/server/lib/errors';
import { KeptFile } from '../kept-file';

/** The steps that were taken. What a step made may be changed or deleted by people afterwards: it is not taken again. */
const Steps = z.array(z.string());

/** A part of the demo's installation that is made once. */
export type Step = { name: string; take: (signal: AbortSignal) => Promise<void> };

/** Takes the steps that were not taken yet, in their order. A step that fails ends it, and is taken at the next call. */
export async function runSteps(directory: string, steps: readonly Step[], signal: AbortSignal): Promise<void> {
  const file = new KeptFile(join(directory, 'steps.json'), Steps);
  const taken = new Set(file.read());
  for (const { name, take } of steps) {
    if (taken.has(name)) continue;
    signal.throwIfAborted();
    await take(signal);
    taken.add(name);
    file.write([...taken]);
  }
}

/** Makes something unless it is there already: a step that was interrupted is taken again. */
export async function ignoreConflict(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  }
}
