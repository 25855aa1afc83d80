import { classificationOf, flowLabel } from '@/domain/flow/flow-label';
import type { FlowGroup, FlowGrouping, FlowGroups, FlowGroupsInput } from '@/domain/flow/flow-sums';
import { planRange } from '@/domain/flow/plan-range';
import type { Scope } from '../../auth/scope';
import { type GroupRow, listFlowGroups } from '../../repositories/flow-groups';
import { sumsCanAnswer } from '../../repositories/rollup-conditions';
import { selectFlows } from './select-flows';

const ENDS: Record<FlowGrouping, readonly ('source' | 'destination')[]> = {
  workloads: ['source', 'destination'],
  source: ['source'],
  destination: ['destination'],
  service: [],
  decision: [],
  node: [],
};

function labelOf(row: GroupRow, end: 'source' | 'destination'): string | null {
  const address = row[`${end}_ip`];
  const cidr = row[`${end}_cidr`];
  if (address !== null) return flowLabel(address, cidr);
  // Of a workload the name says more than the subnets of its addresses would.
  return row[`${end}_workload_id`] === null ? classificationOf(cidr) : null;
}

/** Traffic of the time range within reach, summed up. At most five queries. */
export async function groupFlows(scope: Scope<'flow:read'>, input: FlowGroupsInput): Promise<FlowGroups> {
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, input);
  const byAddress = input.group_by === 'source' || input.group_by === 'destination';
  const plan = planRange({ since, until }, { now, retentionHours, summed: !byAddress && sumsCanAnswer(input) });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const page = await listFlowGroups({ ...selection, ...range }, plan.source, input);
  const items = page.items.map(
    (row): FlowGroup => ({
      ...row,
      source_label: ENDS[input.group_by].includes('source') ? labelOf(row, 'source') : null,
      destination_label: ENDS[input.group_by].includes('destination') ? labelOf(row, 'destination') : null,
    }),
  );
  return { ...page, items, source: plan.source, ...range };
}
