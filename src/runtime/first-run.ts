import postgres from 'postgres';

/** Whether the setup was never completed and nobody has an account, so that the setup code is needed. */
export async function isFirstRun(databaseUrl: string): Promise<boolean> {
  const client = postgres(databaseUrl, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} });
  try {
    const [row] = await client<{ done: boolean }[]>`
      select exists (select 1 from users) or exists (select 1 from system_settings where key = 'setup') as done`;
    return row?.done !== true;
  } finally {
    await client.end({ timeout: 5 });
  }
}
