import { sqlClient } from '@/server/db/client';
import { describeConversationContract } from '../contract/conversation-contract.suite';
import { describeFlowContract } from '../contract/flow-contract.suite';
import { describePrivateContract } from '../contract/private-contract.suite';
import { describeSettledContract } from '../contract/settled-contract.suite';
import { describeSumContract } from '../contract/sum-contract.suite';
import { describeWriteContract } from '../contract/write-contract.suite';
import { postgresFlowStore } from './postgres-flow-store';

const engine = {
  store: postgresFlowStore,
  clear: async () => {
    await sqlClient()`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours,
      flow_unresolved_minutes, traffic_marks, traffic_owners, traffic_by_workload, traffic_totals, flow_hour_totals, flow_complete_hours`;
  },
};

describeFlowContract('PostgreSQL', engine);
describeSumContract('PostgreSQL', engine);
describePrivateContract('PostgreSQL', engine);
describeConversationContract('PostgreSQL', engine);
describeWriteContract('PostgreSQL', engine);
describeSettledContract('PostgreSQL', engine);
