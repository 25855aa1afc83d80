import postgres from 'postgres';

/** Whether nobody has an account yet, so that the setup code is needed. */
export async function isFirstRun(databaseUrl: string): Promise<boolean> {
  const client = postgres(databaseUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const [row] = await client<{ any_user: boolean }[]>`select exists (select 1 from users) as any_user`;
    return row?.any_user !== true;
  } finally {
    await client.end({ timeout: 5 });
  }
}
