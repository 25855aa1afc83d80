import { describe } from 'vitest';
import { db } from '@/server/db/client';
import { describeConversationContract } from '../contract/conversation-contract.suite';
import { describeFlowContract } from '../contract/flow-contract.suite';
import type { ContractEngine } from '../contract/flow-history.fixture';
import { describePrivateContract } from '../contract/private-contract.suite';
import { describeSettledContract } from '../contract/settled-contract.suite';
import { describeSumContract } from '../contract/sum-contract.suite';
import { describeWriteContract } from '../contract/write-contract.suite';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import { readSettlingTime } from './open-conversations';
import { settleChanges } from './settle-conversations';
import { startTestClickhouse } from './test-clickhouse.fixture';

const { server, connection, clear } = await startTestClickhouse();

const store = makeClickhouseFlowStore(connection, { gap_ms: 0 });

/** Changes of a step: few, so that most settling takes several. */
const MOST_AT_ONCE = 40;

/** @param unsettled so many deliveries are read as they come before what changed is settled */
function makeEngine(unsettled: number, share = 1 / 3): ContractEngine {
  let deliveries = 0;
  const deliver = async (nodeId: string | null): Promise<void> => {
    await store.deliver(nodeId);
    deliveries += 1;
    if (deliveries % unsettled > 0) return;
    await store.deliver(null);
    await settleChanges(connection, await db.transaction(readSettlingTime), { every_ms: 0, most: MOST_AT_ONCE });
  };
  return { share, store: { ...store, deliver }, clear };
}

/** Each kind of statement by which conversations are joined loses its answer once, when ClickHouse has run it: as if the process was killed then. */
function interrupt({ store, ...engine }: ContractEngine): ContractEngine {
  const interrupted = new Set<string>();
  const fragile = makeClickhouseFlowStore({
    ...connection,
    run: async (statement, ...rest) => {
      await connection.run(statement, ...rest);
      const kind = /^\s*(insert into|delete from) \w+/.exec(statement)?.[0].trim() ?? '';
      if (!JOINS.includes(kind) || interrupted.has(kind)) return;
      interrupted.add(kind);
      throw new Error(INTERRUPTED);
    },
  });
  const settleConversations = async () => {
    interrupted.clear();
    for (;;) {
      try {
        return await fragile.upkeep.settleConversations();
      } catch (error) {
        if (!(error instanceof Error && error.message === INTERRUPTED)) throw error;
      }
    }
  };
  return { ...engine, store: { ...store, upkeep: { ...store.upkeep, settleConversations } } };
}
const JOINS = [
  'insert into unresolved_minutes',
  'insert into flows',
  'delete from flows',
  'delete from settled_conversations',
];
const INTERRUPTED = 'interrupted';

/** Answers are about some conversations that are settled, some that are not, and some that have changed since. */
const engine = makeEngine(7);
const settledEngine = makeEngine(1, 1 / 9);

describe.skipIf(server === null)('with ClickHouse', () => {
  describeFlowContract('ClickHouse', engine);
  describeSumContract('ClickHouse', engine);
  describePrivateContract('ClickHouse', engine);
  describeConversationContract('ClickHouse', engine);
  describeWriteContract('ClickHouse, settled, and interrupted when it joins', interrupt(settledEngine));
  describeWriteContract('ClickHouse, not settled', makeEngine(Number.POSITIVE_INFINITY));
  describeSettledContract('ClickHouse', engine);
  describeSettledContract('ClickHouse, settled', settledEngine);
});
