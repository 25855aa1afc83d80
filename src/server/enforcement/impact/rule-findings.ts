import type { ImpactFindings } from '@/domain/impact/stored-impact';
import { isWithinReach } from '@/domain/permissions';
import { ownConnectionsAfter } from '../own-connections/own-connections';
import { describeFailing, findFailingTests } from '../policy-tests/tests-after';
import type { ImpactRow } from '../queries/impacts';
import { describeDifference, isDifferent } from './describe-difference';
import { type GuestPairs, redactContexts } from './guest-pairs';
import type { PlannedImpact } from './plan-impact';

/** Workloads whose difference is kept. */
const MOST_WORKLOADS = 200;

/** What an impact is computed from. */
export type Session = PlannedImpact & {
  /** Who reads it, and over which window. */
  readonly row: Pick<ImpactRow, 'change' | 'reader' | 'since' | 'until' | 'source'>;
  readonly pairs: GuestPairs;
};

/** What the change does to packets, workload by workload, as far as the reader sees them. */
async function compare({ row, firewall, inputs, found, pairs }: Session, reach: (share: number) => Promise<void>) {
  const { policies } = row.reader;
  const visible = [...new Set([...found.changed, ...found.unreadable])].flatMap((id) => {
    const workload = inputs.workloads.get(id);
    return workload && isWithinReach(workload, policies) ? [workload] : [];
  });
  visible.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.vmid - b.vmid));
  const difference: ImpactFindings['difference'] = [];
  let left_out = 0;
  for (const [at, workload] of visible.entries()) {
    const guest = { workload, read_at: firewall.readAt([workload.id]) };
    const pair = policies === 'all' ? pairs.take(workload.id) : redactContexts(found, workload.id, policies);
    const one = await describeDifference(inputs, policies, guest, pair, () => reach(at / visible.length));
    if (!isDifferent(one)) continue;
    if (difference.length < MOST_WORKLOADS) difference.push(one);
    else left_out += 1;
  }
  return { difference, difference_left_out: left_out };
}

/** What is known before anything is evaluated. */
export const readBasis = ({
  firewall,
  found,
  workload_ids,
}: Session): Pick<ImpactFindings, 'live_read_at' | 'workloads_total'> => ({
  live_read_at: firewall.readAt(workload_ids),
  workloads_total: found.changed.size + found.unreadable.size,
});

type RuleFindings = Omit<ImpactFindings, 'live_read_at' | 'workloads_total' | 'confidence' | 'traffic_visible'>;

/** Everything that follows from the rules alone. @param reach notes the share that is done, and gives way to other work */
export async function computeRuleFindings(
  session: Session,
  reach: (share: number) => Promise<void>,
): Promise<RuleFindings> {
  const { row, found, subjects } = session;
  const items = 'items' in row.change ? row.change.items : [];
  const { tests, hidden } = await describeFailing(await findFailingTests(found, subjects, items), row.reader.tests);
  return {
    ...(await compare(session, reach)),
    tests,
    hidden_failing_tests: hidden,
    own_connections: await ownConnectionsAfter(found, row.reader.tests),
  };
}
