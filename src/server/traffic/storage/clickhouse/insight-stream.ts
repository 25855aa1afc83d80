import type { Flow } from '@/domain/flow/flow';
import type { FactsRow, FlowText } from '../flow-rows';
import type { FlowInsights } from '../flow-store';
import type { Connection } from './connection';
import { type FlowRow, selectFlowColumns, toFlows } from './flow-list';
import { insightRows } from './insight-rows';
import { sumInsights } from './insight-summary';
import { resolvePlaces } from './names';
import { ch } from './statement';

/** What rules are matched against, as far as the reader may know it. */
const toShownFacts = (row: FlowRow, flow: Flow): FactsRow => ({
  ...{ source_ip: row.source_ip, destination_ip: row.destination_ip, protocol: row.protocol },
  ...{ source_port: row.source_port, destination_port: row.destination_port, decision: row.decision },
  ...{ initiator: row.initiator, icmp_type: row.icmp_type, icmp_code: row.icmp_code, nic: row.nic },
  ...{ workload_id: flow.workload_id, source_workload_id: flow.source_workload_id },
  destination_workload_id: flow.destination_workload_id,
  ...{ source_cidr: row.source_cidr || null, destination_cidr: row.destination_cidr || null },
});

/** All flows of a workload as they are found, then their totals. There is no state of the database to read both from: see decision 0173. */
export const streamInsights = (connection: Connection): FlowInsights['stream'] =>
  async function* (selection, withFacts) {
    const rows = insightRows(selection, await resolvePlaces(selection));
    const summary = sumInsights(connection)(selection);
    // When reading the flows fails, that error is the one reported.
    summary.catch(() => {});
    for await (const found of connection.stream<FlowRow>(
      ch`select ${selectFlowColumns(selection)} from ${rows} as t`,
    )) {
      const flows = await toFlows(found, selection);
      yield {
        flows: flows.map((flow, i): FlowText => {
          const { decision, ...rest } = flow;
          return {
            json: JSON.stringify(rest).slice(0, -1),
            ...{ decision, state: flow.state, facts: withFacts ? toShownFacts(found[i] as FlowRow, flow) : null },
          };
        }),
      };
    }
    yield { summary: await summary };
  };
