import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' };
import type { Scope } from '../auth/scope';
import { type JobsOverview, jobsOverview } from '../jobs/overview';
import { acceptedKeys, keyId } from '../lib/crypto';
import { type DatabaseFacts, type FleetFacts, readDatabaseFacts, readFleetFacts } from './queries/database-facts';
import { latestMigration } from './queries/migrations';
import { countByKey } from './queries/sealed-values';
import { SEALED_PLACES } from './sealed-places';

/** How old the database's schema is against this program's. */
export async function examineMigrations(): Promise<'current' | 'older' | 'newer'> {
  const [latest, expected] = [await latestMigration(), journal.entries.at(-1)?.when ?? 0];
  if (latest === expected) return 'current';
  return latest < expected ? 'older' : 'newer';
}

/** What the database server says of itself, and how many milliseconds its clock is ahead of this machine's. */
export async function examineDatabase(): Promise<DatabaseFacts & { clock_ahead_ms: number }> {
  const before = Date.now();
  const facts = await readDatabaseFacts();
  return { ...facts, clock_ahead_ms: Number(facts.now_ms) - (before + Date.now()) / 2 };
}

/** Stored credentials that none of the accepted keys opens, by what they are. */
export async function examineSecrets(
  _scope: Scope<'*'>,
): Promise<{ sealed: number; lost: { name: string; rows: number }[] }> {
  const accepted = new Set(acceptedKeys().map((key) => keyId(key)));
  let sealed = 0;
  const lost: { name: string; rows: number }[] = [];
  for (const place of SEALED_PLACES) {
    const counts = await countByKey(place);
    sealed += counts.reduce((total, { rows }) => total + rows, 0);
    const rows = counts.filter(({ key_id }) => !accepted.has(key_id)).reduce((total, one) => total + one.rows, 0);
    if (rows > 0) lost.push({ name: place.name, rows });
  }
  return { sealed, lost };
}

/** The queues as they are now. */
export const examineJobs = (_scope: Scope<'*'>): Promise<JobsOverview> => jobsOverview(20);

/** Clusters, agents and people in numbers. */
export const examineFleet = (_scope: Scope<'*'>): Promise<FleetFacts> => readFleetFacts();
