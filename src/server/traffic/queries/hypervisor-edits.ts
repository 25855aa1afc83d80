import { sql } from 'drizzle-orm';
import type { Tx } from '../../db/client';
import { hypervisorEdits } from '../../db/schema/agents';

export type NewHypervisorEdit = typeof hypervisorEdits.$inferInsert;

/** Of one cluster; with more, something else is wrong than a firewall. */
const MOST_EDITS = 10_000;

/** Adds edits of a cluster; those that are known change nothing. */
export async function insertHypervisorEdits(
  tx: Tx,
  clusterId: string,
  edits: readonly NewHypervisorEdit[],
): Promise<void> {
  if (edits.length === 0) return;
  const [{ kept } = { kept: 0 }] = await tx.execute<{ kept: number }>(sql`select count(*)::int as kept
    from (select from ${hypervisorEdits} where ${hypervisorEdits.cluster_id} = ${clusterId} limit ${MOST_EDITS}) kept`);
  if (kept >= MOST_EDITS) return;
  await tx
    .insert(hypervisorEdits)
    .values([...edits])
    .onConflictDoNothing();
}
