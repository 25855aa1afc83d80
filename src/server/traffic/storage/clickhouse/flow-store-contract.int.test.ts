import { afterAll, describe } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { findChdbProblem, startChdb } from '@/test/chdb-server';
import { describeConversationContract } from '../contract/conversation-contract.suite';
import { describeFlowContract } from '../contract/flow-contract.suite';
import type { ContractEngine } from '../contract/flow-history.fixture';
import { describePrivateContract } from '../contract/private-contract.suite';
import { describeSettledContract } from '../contract/settled-contract.suite';
import { describeSumContract } from '../contract/sum-contract.suite';
import { describeWriteContract } from '../contract/write-contract.suite';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import { connectTo } from './connection';
import { migrateClickhouse } from './migrate';

const server = findChdbProblem() === null ? await startChdb() : null;
const connection = connectTo(server?.url ?? '');
if (server) await migrateClickhouse(connection);
afterAll(() => server?.stop());

const engine: ContractEngine = {
  share: 1 / 3,
  store: makeClickhouseFlowStore(connection, { gap_ms: 0 }),
  clear: async () => {
    for (const table of ['flows', 'rollup_minutes', 'rollup_hours', 'unresolved_minutes', 'flow_expiry']) {
      await connection.run(`truncate table ${table}`);
    }
    await sqlClient()`truncate open_conversations, flow_outbox, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals`;
  },
};

describe.skipIf(server === null)('with ClickHouse', () => {
  describeFlowContract('ClickHouse', engine);
  describeSumContract('ClickHouse', engine);
  describePrivateContract('ClickHouse', engine);
  describeConversationContract('ClickHouse', engine);
  describeWriteContract('ClickHouse', engine);
  describeSettledContract('ClickHouse', engine);
});
