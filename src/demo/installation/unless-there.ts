import { AppError } from '@/server/lib/errors';

/** Makes something unless it is there already: a step that was interrupted is taken again. */
export async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
  }
}
