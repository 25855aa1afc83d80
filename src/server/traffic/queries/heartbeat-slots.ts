import { sql } from 'drizzle-orm';
import { SLOT_MS } from '@/domain/dashboard/monitoring';
import { db } from '../../db/client';
import { agentHeartbeats } from '../../db/schema/agents';

/** Nodes whose agents sent a heartbeat, by windows of `SLOT_MS`, in milliseconds. `until` is not part of it. One query. */
export async function listHeartbeatSlots(since: string, until: string): Promise<{ slot: number; node_id: string }[]> {
  const width = sql.raw(String(SLOT_MS / 1000));
  const rows = await db.execute<{ slot: number; node_id: string }>(sql`
    select (floor(extract(epoch from received_at) / ${width}) * ${width} * 1000)::float8 as slot, node_id
    from ${agentHeartbeats} where received_at >= ${since}::timestamptz and received_at < ${until}::timestamptz group by 1, 2`);
  return [...rows];
}
