import { beforeEach, describe, expect, it } from 'vitest';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { db } from '@/server/db/client';
import { forwardingDestinations, forwardingStreams } from '@/server/db/schema/forwarding';
import { residualRules } from '@/server/db/schema/moves';
import {
  listClustersToObserve,
  listSnapshotHashes,
  storeClusterSnapshot,
  storeGuestSnapshots,
} from '@/server/enforcement/queries/firewall-snapshots';
import { listDueRemovals } from '@/server/enforcement/queries/residual-rules';
import { listDueDestinations } from '@/server/forwarding/queries/forwarding-streams';
import { newId } from '@/server/lib/ids';
import { makeCluster, makeWorkload } from '@/test/factories';

const DAY = 86_400_000;
const present = new Date();
const now = present.toISOString();
const ahead = new Date(present.getTime() + 30 * DAY).toISOString();
const before = new Date(present.getTime() - DAY).toISOString();

describe('after a clock that was ahead is put back', () => {
  let cluster: Awaited<ReturnType<typeof makeCluster>>;
  beforeEach(async () => {
    cluster = await makeCluster({ api_token_encrypted: 'x', api_token_key_id: 'x' });
  });

  it('stores snapshots again, and still keeps a later one instead of an earlier one', async () => {
    const workload = await makeWorkload(cluster);
    const read = async () =>
      (await listSnapshotHashes(db))
        .filter(({ id }) => id === cluster.id || id === workload.id)
        .map(({ read_at, state_hash }) => [new Date(read_at).toISOString(), state_hash]);
    const store = async (read_at: string, state_hash: string) => {
      await storeClusterSnapshot(db, { cluster_id: cluster.id, read_at, state_hash, state: {} as ClusterSnapshot });
      await storeGuestSnapshots(db, [{ workload_id: workload.id, read_at, state_hash, state: {} as GuestSnapshot }]);
    };
    for (const hash of ['the same', 'another']) {
      await store(ahead, 'the same');
      expect(await listClustersToObserve(db, before, now)).toContain(cluster.id);
      await store(now, hash);
      expect(await read()).toEqual(Array(2).fill([now, hash]));
      expect(await listClustersToObserve(db, before, now)).not.toContain(cluster.id);
    }
    await store(new Date(present.getTime() - 60_000).toISOString(), 'older');
    expect(await read()).toEqual(Array(2).fill([now, 'another']));
  });

  it('removes residual rules, and forwards records', async () => {
    const workload = await makeWorkload(cluster);
    await db.insert(residualRules).values({
      ...{ workload_id: workload.id, policy_id: newId(), policy_name: 'x', policy_version: 1, workload_name: 'x' },
      ...{ mode: 'remove', attempts: 1, attempted_at: ahead },
    });
    expect(await listDueRemovals(db)).toMatchObject([{ workload_id: workload.id }]);
    const id = newId();
    await db.insert(forwardingDestinations).values({
      ...{ id, name: 'x', kind: 'json', streams: ['audit'], max_wait_hours: 24 },
      ...{ host: 'siem.example.org', port: 6514, transport: 'tls' },
    });
    const [stream] = await db
      .insert(forwardingStreams)
      .values({ destination_id: id, stream: 'audit', position: {} as never, failures: 1, next_attempt_at: ahead })
      .returning();
    expect(stream).toBeDefined();
    expect(await listDueDestinations(db, now)).toEqual([id]);
    expect(await listDueDestinations(db, new Date(Date.parse(ahead) - 60_000).toISOString())).toEqual([]);
  });
});
