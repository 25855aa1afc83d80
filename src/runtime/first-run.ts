import postgres from 'postgres';
import { isDemo } from './demo-installation';
import { retryUntilAvailable } from './prepare-stores';

/** Whether the setup was never completed and no account exists, so that the setup code is needed. */
async function isFirstRun(databaseUrl: string): Promise<boolean> {
  const client = postgres(databaseUrl, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} });
  try {
    const [row] = await client<{ done: boolean }[]>`
      select exists (select 1 from users) or exists (select 1 from system_settings where key = 'setup') as done`;
    return row?.done !== true;
  } finally {
    await client.end({ timeout: 5 });
  }
}

type Installation = {
  url: string;
  databaseUrl: string;
  demo: boolean;
  /** Whether the database is the private one of the data directory. */
  embedded: boolean;
  /** Empty when the web process makes and logs it. */
  setupCode: string;
  /** Where the setup code was stored, when it was. */
  setupCodeFile?: string;
};

/**
 * Tells the operator who started the service what to do next. The service is already up: if the database goes away
 * now, this waits for it, and a missing answer costs the hints, not the service.
 * @param say takes one line
 */
export async function printFirstRunHints(installation: Installation, say: (line: string) => void): Promise<void> {
  const { url, databaseUrl, demo, embedded, setupCode, setupCodeFile } = installation;
  try {
    if (!demo && embedded && (await retryUntilAvailable(() => isDemo(databaseUrl)))) {
      say(
        'this installation contains demo data; its clusters and agents run only with npm run demo (SEED_DEMO_DATA=true)',
      );
    }
    if (await retryUntilAvailable(() => isFirstRun(databaseUrl))) {
      say(`first run: open ${url}/setup and enter the setup code ${setupCode || 'that the web process logs'}`);
      if (setupCodeFile) say(`(stored in ${setupCodeFile})`);
    }
  } catch (error) {
    say(`cannot check whether the setup is complete (${error instanceof Error ? error.message : error}); open ${url}`);
  }
}
