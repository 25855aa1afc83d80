import { parseArgs } from 'node:util';
import { systemScope } from '@/server/auth/scope';
import { closeDb } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { verifyAuditChain } from '@/server/services/audit/verify-audit-chain';
import { runningDatabaseUrl } from './running-database';

const USAGE = `Checks the audit trail: every record's hash, and that none is missing.

  verify-audit [--anchor SEQ:HASH]

The database is the one of DATABASE_URL, or that of the service running on FABRIC_DATA_DIR.

--anchor  the last line of an earlier run; proves that the trail up to there is still the same.
Exit status: 0 intact, 1 broken, 2 could not be checked.
`;

const REASONS = {
  missing: 'is missing',
  previous_hash: 'does not continue the record before it',
  hash: 'was changed after it was written',
  anchor: 'is not the one that the anchor names',
  checkpoint: 'is where the trail was cut, but no record in the trail says so',
};

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { anchor: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(values.anchor ?? '') ?? [];
  if (values.anchor !== undefined && (seq === undefined || hash === undefined)) {
    process.stderr.write(`--anchor takes SEQ:HASH as an earlier run printed it.\n`);
    return 2;
  }
  env().DATABASE_URL ??= runningDatabaseUrl(env().FABRIC_DATA_DIR) ?? undefined;
  if (!env().DATABASE_URL) {
    process.stderr.write('There is no database to check. Start the service (npm start), or set DATABASE_URL.\n');
    return 2;
  }
  const anchor = seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : null;
  const result = await verifyAuditChain(systemScope('audit:read', 'audit verification'), anchor);
  if (result.broken) {
    process.stderr.write(`Broken: record ${result.broken.seq} ${REASONS[result.broken.reason]}.\n`);
    return 1;
  }
  process.stdout.write(`Intact: ${result.checked} records.\n`);
  if (result.pruned) {
    process.stdout.write(
      `Records up to ${result.pruned.seq} were removed at ${result.pruned.at}: their time was up.\n`,
    );
  }
  if (result.last) process.stdout.write(`${result.last.seq}:${result.last.hash}\n`);
  if (result.anchor === 'pruned') {
    process.stderr.write('The record that the anchor names was removed since. Use the anchor above from now on.\n');
    return 2;
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
} finally {
  await closeDb();
}
