import { toAction } from '@/domain/flow-action';
import type { FlowDecider } from '@/domain/flow-context/flow-context';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import type { RulesSay } from '@/domain/flow-verdict';
import { computeDifference, type DifferenceRow } from '@/domain/impact/difference';
import type { ImpactDifference, ImpactDifferenceRow } from '@/domain/impact/impact';
import type { ContextPair } from '@/domain/impact/replay';
import type { Reach } from '@/domain/permissions';
import { ruleNamer } from '../guest-firewall/named-rules';
import { decidingRule, describeDecider } from '../guest-firewall/test-packet';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { InputWorkload } from '../queries/policy-inputs';

export type DescribedGuest = { readonly workload: InputWorkload; readonly read_at: string | null };

/** Describes what decides at a guest as far as the reader may know it. @param inputs with the policy that is changed */
export function rulesDescriber(inputs: PolicyInputs, reach: Reach, { workload, read_at }: DescribedGuest) {
  const { show } = ruleNamer(inputs, reach, workload);
  return (
    { state }: Pick<GuestContext, 'state'>,
    verdict: Parameters<typeof toAction>[0],
    by: FlowDecider,
  ): RulesSay => ({
    ...describeDecider(by, decidingRule({ state, vmid: workload.vmid, show }, by)),
    action: toAction(verdict),
    workload_id: workload.id,
    read_at,
  });
}

const KINDS = ['gained', 'lost', 'unknown'] as const;
/** Rows of each kind that are kept of a workload. */
const MOST_ROWS = 100;

/** What the change does to packets at each interface of a workload. Gives way to other work between interfaces. */
export async function describeDifference(
  inputs: PolicyInputs,
  reach: Reach,
  guest: DescribedGuest,
  { before, after }: ContextPair,
  giveWay: () => Promise<void>,
): Promise<ImpactDifference> {
  const { id: workload_id, name: workload_name } = guest.workload;
  const found: ImpactDifference = {
    workload_id,
    workload_name,
    gained: [],
    lost: [],
    unknown: [],
    left_out: { gained: 0, lost: 0, unknown: 0 },
    complete: true,
    unreadable: !before?.interfaces || !after?.interfaces,
  };
  if (!before?.interfaces || !after?.interfaces) return found;
  const describeDecider = rulesDescriber(inputs, reach, guest);
  const toDifferenceRow = (name: string, row: DifferenceRow): ImpactDifferenceRow => {
    const { before: was, after: is, decided_before, decided_after, ...texts } = row;
    return {
      ...texts,
      interface: name,
      before: describeDecider(before, was, decided_before as FlowDecider),
      after: describeDecider(after, is, decided_after as FlowDecider),
    };
  };
  for (const nic of before.interfaces) {
    const same = after.interfaces.find(({ name }) => name === nic.name);
    if (!same) continue;
    await giveWay();
    const difference = computeDifference(nic.live, same.live, MOST_ROWS);
    if (!difference.complete) found.complete = false;
    for (const kind of KINDS) {
      const { rows, left_out } = difference[kind];
      const room = Math.max(0, MOST_ROWS - found[kind].length);
      found[kind].push(...rows.slice(0, room).map((row) => toDifferenceRow(nic.name, row)));
      found.left_out[kind] += left_out + Math.max(0, rows.length - room);
    }
  }
  return found;
}

/** Whether there is something to say about a workload. */
export const isDifferent = ({ gained, lost, unknown, complete, unreadable }: ImpactDifference): boolean =>
  gained.length + lost.length + unknown.length > 0 || !complete || unreadable;
