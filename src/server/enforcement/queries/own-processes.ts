import { inArray, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import { ProcessReport } from '@/domain/own-connections/own-workloads';
import type { Executor } from '../../db/client';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { systemSettings } from '../../db/schema/operations';
import { ownProcesses } from '../../db/schema/policy-tests';
import { oidcSettings } from '../../db/schema/sign-in';

const Peer = z.object({ local: z.string().nullable(), remote: z.string().nullable(), port: z.int().nullable() });

/** This connection as the database server sees it; all null over a socket of the machine. */
export async function findDatabasePeer(executor: Executor): Promise<z.output<typeof Peer>> {
  const [row] = await executor.execute(
    sql`select host(inet_client_addr()) as local, host(inet_server_addr()) as remote, inet_server_port() as port`,
  );
  return Peer.parse(row);
}

/** The addresses of the clusters' APIs. */
export async function listApiUrls(executor: Executor): Promise<string[]> {
  const rows = await executor.select({ url: clusters.api_url }).from(clusters).orderBy(clusters.name);
  return rows.map(({ url }) => url);
}

/** The configured addresses of this installation: of links in notifications, and where the sign-in provider returns to. */
export async function listPublicUrls(executor: Executor): Promise<string[]> {
  const rows = await executor.execute<{ url: string }>(sql`
    select ${systemSettings.value} ->> 'public_url' as url from ${systemSettings}
      where ${systemSettings.key} = 'notifications' and ${systemSettings.value} ->> 'public_url' is not null
    union all select ${oidcSettings.public_url} from ${oidcSettings} where ${oidcSettings.public_url} <> ''`);
  return rows.map(({ url }) => url);
}

/** Stores what a process reports, and forgets processes that reported last before `cutoff`. */
export async function storeOwnProcess(
  executor: Executor,
  row: typeof ownProcesses.$inferInsert,
  cutoff: string,
): Promise<void> {
  await executor.delete(ownProcesses).where(lt(ownProcesses.reported_at, cutoff));
  await executor
    .insert(ownProcesses)
    .values(row)
    .onConflictDoUpdate({
      target: ownProcesses.id,
      set: { kind: row.kind, report: row.report, reported_at: row.reported_at },
    });
}

/** The processes that reported since `cutoff`. A report of another version of the program that cannot be read is left out. */
export async function listOwnProcesses(executor: Executor, cutoff: string) {
  const rows = await executor
    .select()
    .from(ownProcesses)
    .where(sql`${ownProcesses.reported_at} >= ${cutoff}`)
    .orderBy(ownProcesses.kind, ownProcesses.id);
  return rows.flatMap((row) => {
    const { data: report } = ProcessReport.safeParse(row.report);
    return report ? [{ ...row, report }] : [];
  });
}

/** Which workloads have some addresses; `disputed`: others claim the address. */
export function listHolders(
  executor: Executor,
  addresses: readonly string[],
): Promise<{ address: string; workload_id: string; disputed: boolean }[]> {
  return executor
    .selectDistinct({
      address: sql<string>`host(${ipAddresses.address})`,
      workload_id: sql<string>`${ipAddresses.workload_id}`,
      disputed: sql<boolean>`${ipAddresses.state} = 'conflict'`,
    })
    .from(ipAddresses)
    .where(
      sql`${inArray(ipAddresses.address, [...addresses])} and ${ipAddresses.workload_id} is not null and ${ipAddresses.state} <> 'stale'`,
    );
}
