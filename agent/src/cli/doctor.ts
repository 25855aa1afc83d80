import process from 'node:process';
import type { Config } from '../config';
import { type Check, runChecks } from './doctor-checks';

const MARK: Record<Check['status'], string> = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };

/** Prints what works, what does not, and how to mend it. @returns whether nothing has failed */
export async function doctor(config: Config): Promise<boolean> {
  const checks = await runChecks(config);
  for (const { name, status, detail, remedy } of checks) {
    process.stdout.write(`${MARK[status]}  ${name}: ${detail}\n`);
    if (remedy !== undefined) process.stdout.write(`         → ${remedy}\n`);
  }
  return checks.every(({ status }) => status !== 'failed');
}
