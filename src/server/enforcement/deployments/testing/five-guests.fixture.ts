import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import type { DesiredRule, DesiredSet, RuleContent } from '@/domain/policy/desired';
import { contentHash, formatMarker } from '@/domain/policy/marker';
import type { GuestIntent, Origin } from '@/domain/policy/plan/guest-filter';
import type { GuestRef } from '@/server/providers/hypervisor/types';

export const INSTANCE = 'inst1';
const POLICY = 'p-main';
const OTHER = 'p-other';

/** Guests of the small lab: with groups, with two interfaces and a set, without a file, switched off, a container. */
export const FIVE: readonly GuestRef[] = [
  { vmid: 100, kind: 'qemu', node: 'pve1' },
  { vmid: 102, kind: 'qemu', node: 'pve3' },
  { vmid: 105, kind: 'qemu', node: 'pve3' },
  { vmid: 110, kind: 'qemu', node: 'pve2' },
  { vmid: 200, kind: 'lxc', node: 'pve1' },
];

const SET: DesiredSet = { name: 'fabric-v4-00c0ffee00c0ffee', cidrs: ['10.3.0.0/24', '10.3.2.7', '10.9.0.1'] };
const SET_2: DesiredSet = { name: 'fabric-v4-0badc0de0badc0de', cidrs: ['10.3.0.0/25', '10.9.0.1'] };

function rule(vmid: number, policy_id: string, version: number, position: number, content: RuleContent): DesiredRule {
  const rule_hash = contentHash(JSON.stringify([position, content]));
  return {
    policy_id,
    policy_version: version,
    rule_position: position,
    rule_hash,
    content,
    comment: formatMarker({ instance: INSTANCE, policy_id, version, rule_hash, vmid }),
  };
}

const accept = { type: 'in', action: 'ACCEPT' } as const;
const drop = { type: 'in', action: 'DROP' } as const;

/** What a policy wants in two versions: actions mixed, so that the order matters, rules that stay, go and come. */
const VERSIONS: Record<1 | 2, RuleContent[]> = {
  1: [
    { ...accept, proto: 'tcp', dport: '22', source: '10.3.0.0/24' },
    { ...drop, proto: 'tcp', dport: '22' },
    { ...accept, proto: 'tcp', dport: '5432', source: `+guest/${SET.name}` },
  ],
  2: [
    { ...drop, proto: 'tcp', dport: '22', source: '10.3.0.66' },
    { ...accept, proto: 'tcp', dport: '22', source: '10.3.0.0/24' },
    { ...accept, proto: 'tcp', dport: '5432', source: `+guest/${SET_2.name}` },
    { ...drop, proto: 'tcp', dport: '5432' },
  ],
};

const base = (vmid: number) => ({
  instance: INSTANCE,
  vmid,
  placement: 'above' as const,
  order: [OTHER, POLICY],
  remove_strays: true,
});

/** Desired state of a guest for version 1 or 2, or for the end of the policy, which restores the previous state. */
export function makeIntent(vmid: number, version: 0 | 1 | 2, restore?: Origin): GuestIntent {
  const scope = new Set([POLICY]);
  const [keep, none] = ['keep', { restore: 'ACCEPT' }] as const;
  if (version === 0) {
    const shared = { ...base(vmid), scope, rules: [], sets: [], remove_strays: false, switch_on: false };
    return { ...shared, default_in: none, default_out: keep, ...(restore && { restore }) };
  }
  return {
    ...base(vmid),
    scope,
    rules: VERSIONS[version].map((content, position) => rule(vmid, POLICY, version, position, content)),
    sets: [version === 1 ? SET : SET_2],
    // The second version asks the mail server to drop by default.
    default_in: version === 2 && vmid === 105 ? 'drop' : keep,
    default_out: keep,
    switch_on: true,
  };
}

/** A state to return to: another policy is applied and a user has added rules manually. */
export type Snapshot = { files: Map<string, string>; configs: Map<number, string> };

export function takeSnapshot({ state }: ClusterControl): Snapshot {
  return {
    files: new Map(state.files),
    configs: new Map([...state.guests.values()].map((guest) => [guest.vmid, guest.configText])),
  };
}

export function restore({ state }: ClusterControl, snapshot: Snapshot): void {
  state.change(() => {
    state.files.clear();
    for (const [path, text] of snapshot.files) state.files.set(path, text);
    for (const [vmid, text] of snapshot.configs) {
      const guest = state.guests.get(vmid);
      if (guest) guest.configText = text;
    }
  });
}

/** Rules of another policy, in an old version, and of people, so that there is something to leave alone. */
export function addOtherRules(control: ClusterControl): void {
  for (const [at, { vmid }] of FIVE.slice(0, 3).entries()) {
    const other = rule(vmid, OTHER, 7, 0, { ...drop, proto: 'udp', dport: '53' });
    // The policy is the only one at the other guests, so that they are restored when it goes.
    if (at === 0) control.firewall.insertRule(vmid, `IN DROP -p udp -dport 53 -log nolog # ${other.comment}`, 0);
    control.firewall.insertRule(vmid, 'IN DROP -source 10.3.0.9 -p tcp -dport 22 -log nolog # by hand', 1);
  }
}

/** Lines of the guest's file that are not the policy's, in order. */
export const otherLines = (control: ClusterControl, vmid: number): string[] =>
  (control.firewall.guestFile(vmid) ?? '')
    .split('\n')
    .filter((line) => /^\|?(?:IN|OUT|GROUP) /.test(line) && !line.includes(`p=${POLICY} `));

export const policyLines = (control: ClusterControl, vmid: number): string[] =>
  (control.firewall.guestFile(vmid) ?? '').split('\n').filter((line) => line.includes(`p=${POLICY} `));
