import { sqlClient } from '@/server/db/client';

/** Runs `work` and counts the statements it sends outside transactions. */
export async function countQueries<T>(work: () => Promise<T>): Promise<{ result: T; queries: number }> {
  const client = sqlClient();
  const { unsafe } = client;
  let queries = 0;
  client.unsafe = ((...args: Parameters<typeof unsafe>) => {
    queries += 1;
    return unsafe(...args);
  }) as typeof unsafe;
  try {
    return { result: await work(), queries };
  } finally {
    client.unsafe = unsafe;
  }
}
