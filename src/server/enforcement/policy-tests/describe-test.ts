import { NO_RULE } from '@/domain/flow-verdict';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { TestFinding } from '@/domain/policy-tests/decide';
import {
  NO_EVENT,
  type PolicyTest,
  type TestCause,
  type TestDecider,
  type TestPacket,
} from '@/domain/policy-tests/definition';
import type { PlaceRef } from '@/domain/policy-tests/test-end';
import { ruleNamer } from '../guest-firewall/named-rules';
import { decidingRule, describeDecider } from '../guest-firewall/test-packet';
import { explainHostDecider } from '../host-firewall/host-views';
import { liveStateAt } from '../policies/firewall-state/views';
import type { Readable } from '../policies/planned-change';
import type { FoundTest } from '../queries/policy-tests';

const toNamedWorkload = (place: PlaceRef | null) =>
  place?.kind === 'workload' ? { id: place.id, name: place.name } : null;
const nodeName = (place: PlaceRef | null) => (place?.kind === 'node' ? place.name : null);

/** The packet of a finding as the API shows it. */
export const packetView = ({ packet, source_place, destination_place }: TestFinding): TestPacket => ({
  ...packet,
  source_workload: toNamedWorkload(source_place),
  source_node: nodeName(source_place),
  destination_workload: toNamedWorkload(destination_place),
  destination_node: nodeName(destination_place),
});

/** What decides, with the policy behind it as far as the reader may know it. */
export function deciderView(
  firewall: Readable,
  reach: Reach,
  finding: Omit<TestFinding, 'packet'>,
): TestDecider | null {
  const { side, interface: nic, decided_by: by } = finding;
  const place = side === 'source' ? finding.source_place : finding.destination_place;
  if (place?.kind === 'workload') {
    const workload = firewall.inputs.workloads.get(place.id);
    if (!workload || by.kind === 'not_filtered') return null;
    const { show } = ruleNamer(firewall.inputs, reach, workload);
    const at = { state: liveStateAt(firewall, workload), vmid: workload.vmid, show };
    const decider = by as Parameters<typeof describeDecider>[0];
    return { ...describeDecider(decider, decidingRule(at, decider)), side, interface: nic };
  }
  if (by.kind === 'not_filtered') return null;
  const explanation = explainHostDecider(by as Parameters<typeof explainHostDecider>[0]);
  if (by.kind === 'rule') {
    const { position, group = null, group_position = null } = by;
    return {
      ...NO_RULE,
      kind: 'rule',
      detail: null,
      explanation,
      position,
      group,
      group_position,
      side,
      interface: nic,
    };
  }
  const detail = by.kind === 'default' ? by.policy : by.kind === 'builtin' ? by.name : by.reason;
  return { ...NO_RULE, kind: by.kind, detail, explanation, side, interface: nic };
}

/** The cause as far as the reader may know it: whose event it was decides who reads who did it. */
function causeView(cause: FoundTest['caused_by'], reach: Reach): TestCause | null {
  if (!cause) return null;
  const { tenant_id, ...shown } = cause;
  if (isWithinReach({ tenant_id, project_id: null }, reach)) return shown;
  const { kind, at } = shown;
  const text = 'The event is not visible to you.';
  return { kind, at, text, ...NO_EVENT };
}

/** A test with its result as the API shows it. */
export function describeTest(firewall: Readable, reach: Reach, found: FoundTest): PolicyTest {
  const { finding, workload_ids: _, caused_by, ...test } = found;
  return {
    ...test,
    counterexample: finding && packetView(finding),
    deciding: finding && deciderView(firewall, reach, finding),
    caused_by: causeView(caused_by, reach),
  };
}
