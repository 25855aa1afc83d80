import { expect } from 'vitest';

/**
 * Waits for something that is going to happen. How soon is not what a test is about: the limit only ends one that hangs.
 * @throws Error that names `what`, when it never happens
 */
export async function until(what: string, holds: () => unknown): Promise<void> {
  await expect.poll(async () => Boolean(await holds()), { interval: 20, message: what }).toBe(true);
}
