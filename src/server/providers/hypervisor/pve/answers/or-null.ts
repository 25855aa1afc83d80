import { ProviderError, type ProviderErrorCode } from '../../errors';

/** The value, or null when it failed in one of these ways; every other failure goes on. */
export async function orNull<T>(value: Promise<T>, ...codes: ProviderErrorCode[]): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof ProviderError && codes.includes(error.code)) return null;
    throw error;
  }
}
