import { type CompileFailure, guestCompileFailures, summarizeCompileFailures } from '@/domain/firewall/compile-failure';
import { formatFailurePlace, formatFailureReason } from '@/domain/firewall/compile-failure-text';
import { type DefaultPolicy, effectiveOptions } from '@/domain/firewall/guest-options';
import { completeLiveNode, type LiveGuestOptions } from '@/domain/firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Compiled } from '@/domain/policy/desired';
import type { GuestPreview, GuestWarning, PreviewWarning, PreviewWarningCode } from '@/domain/policy-preview';
import { groupBy } from '../../../lib/group-by';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import type { InputCluster, InputPolicy, InputWorkload } from '../../queries/policy-inputs';

type Guest = {
  readonly workload: InputWorkload;
  readonly preview: GuestPreview;
  readonly state: GuestSnapshot;
  /** The guest as the apply leaves it; null: not known. */
  readonly after: GuestSnapshot | null;
};

const findGuestNode = ({ workload }: Guest, cluster: ClusterSnapshot) =>
  completeLiveNode(cluster, workload.node_name, workload.nftables);

/** Whether the node keeps old rules active, whatever is written. */
export const isNodeFailing = (guest: Guest, cluster: ClusterSnapshot): boolean =>
  findGuestNode(guest, cluster)?.compile_failure !== undefined;

/** What stops the compile of the guest's node once the policy is applied: rules that it writes, and stored content that takes effect. */
export function listFailuresAfter(guest: Guest, cluster: ClusterSnapshot): readonly CompileFailure[] {
  const { workload, after } = guest;
  if (!after || isNodeFailing(guest, cluster)) return [];
  const ofGuest = guestCompileFailures(cluster, workload.vmid, after);
  return summarizeCompileFailures(cluster, findGuestNode(guest, cluster), ofGuest).failures;
}

/** The first failure with place and remedy. What belongs to other workloads of the node is not described. */
export function describeFailures(guests: readonly Guest[], cluster: ClusterSnapshot): string {
  for (const guest of guests) {
    const { name, vmid } = guest.workload;
    const failures = findGuestNode(guest, cluster)?.compile_failure?.failures ?? listFailuresAfter(guest, cluster);
    const known = failures.find((failure) => failure.scope !== 'guest' || failure.vmid === vmid);
    if (known) return `${formatFailurePlace(known, name)}: ${formatFailureReason(known)}`;
  }
  return '';
}

/** Guests that a warning names; the rest are only counted. */
const NAMED = 20;

const MESSAGES: Readonly<Record<PreviewWarningCode, string>> = {
  audit_mode: 'The policy is in audit mode and cannot be applied. Set its mode to enforced first.',
  policy_disabled: 'The policy is disabled and cannot be applied. Enable it first.',
  no_rules: 'The policy requires no rules on any workload.',
  cluster_firewall_off:
    'The cluster firewall is off: rules are stored, but nothing is filtered. Turn it on under Datacenter → Firewall → Options; it also filters access to the nodes.',
  cluster_firewall_unknown: 'Could not read whether the cluster firewall is on. If it is off, nothing is filtered.',
  default_policy_changes:
    'What happens to packets that match no rule changes there: check the listed switches, and that everything the workload needs is allowed.',
  firewall_switched_on: 'The firewall is off there and will be turned on.',
  dormant_content:
    'Rules, IP sets or options that are stored there without effect take effect, because a firewall or interface flag is turned on. They change what happens to traffic: check the list of each workload.',
  order_changes:
    'Rules of the policy move among those of other policies, because their desired order differs from the live order. Other policies may match packets there that they did not match before, or no longer match them.',
  unmanaged_rules_first:
    'The cluster places managed rules after unmanaged rules, so unmanaged rules are evaluated before this platform policy and can override it.',
  mac_filter:
    "With the firewall on, frames with a source MAC address other than the interface's are dropped. Nested guests, VRRP and bonding inside the workload require the option macfilter to be off.",
  established_connections: 'Existing connections continue: rules apply to new connections only.',
  log_limits: 'Packet logging is limited to about one entry per second per rule: the log shows samples, not counts.',
  reject_becomes_drop:
    'Nodes with the new firewall implementation (nftables) drop inbound packets that a rule rejects, without a reply.',
  node_cannot_compile:
    'The firewall of the node cannot compile: the node keeps its old rules for every workload until that is fixed, so nothing applied takes effect.',
  node_would_not_compile:
    'Once applied, the node cannot compile its firewall and keeps its old rules for every workload. Fix that content first.',
  interface_not_switchable:
    'The firewall flag of an interface cannot be set: a change is waiting for a restart, or the interface could not be read. Its traffic is not filtered.',
  guest_unreadable: 'The live state there could not be read completely, so the changes are not known.',
  guest_missing: 'The workload no longer exists. Sync the cluster.',
  guest_locked:
    'The workload is locked by another operation: its interface flags can only be changed when that has ended.',
  workload_without_address: 'A workload that the policy refers to has no known address, so its traffic is not matched.',
  no_address_of_family:
    'A rule for one address family has no address of that family on the other side, so it has no effect.',
  icmp_type_unreadable:
    'A rule with this ICMP type is not written: nodes with nftables cannot read it. Use another type, such as destination-unreachable.',
};

/** Added to the warning about a switch where nothing that is stored makes it untrue. */
const KEEPS_PASSING = 'Traffic that matches no rule still passes, unless the policy is set to drop it.';

export type PreviewedGuest = Guest;
export type PreviewedCluster = {
  readonly cluster: InputCluster;
  readonly state: ClusterSnapshot;
  readonly guests: readonly PreviewedGuest[];
};

/** What happens to packets that no rule matches, at one interface: everything passes where nothing is filtered. */
type Defaults = { readonly in: DefaultPolicy; readonly out: DefaultPolicy };
const OPEN: Defaults = { in: 'ACCEPT', out: 'ACCEPT' };

/** The defaults in effect at each interface, before and after the switches are turned. */
function listDefaultChanges({ preview, state }: PreviewedGuest): { before: Defaults; after: Defaults }[] {
  const { options, nics } = state;
  if (!options || !nics) return [];
  const turned = (kind: 'guest_option' | 'nic_flag') =>
    preview.option_changes.filter((change) => change.kind === kind).map(({ name, after }) => [name, after] as const);
  const changes = Object.fromEntries(turned('guest_option'));
  const changed = { ...options, ...changes, ...(changes.enable !== undefined && { enable: Number(changes.enable) }) };
  const flags = new Set(turned('nic_flag').map(([name]) => name));
  const inEffect = (stored: LiveGuestOptions, flag: boolean): Defaults => {
    const { enable, policy_in, policy_out } = effectiveOptions(stored);
    return enable && flag ? { in: policy_in, out: policy_out } : OPEN;
  };
  return nics.map(({ name, firewall }) => ({
    before: inEffect(options, firewall === true),
    after: inEffect(changed, firewall === true || flags.has(name)),
  }));
}

const denies = (action: string) => action === 'DROP' || action === 'REJECT';

/** Whether new connections would meet more resistance than before. */
function isMoreRestrictive(guest: PreviewedGuest): boolean {
  const { changes, option_changes, rules } = guest.preview;
  if (changes?.added.some(({ action }) => denies(action))) return true;
  if (changes?.removed.some(({ action, enabled }) => action === 'ACCEPT' && enabled)) return true;
  if (listDefaultChanges(guest).some(({ before, after }) => after.in !== before.in || after.out !== before.out))
    return true;
  // Switching the firewall on activates all rules that exist there.
  const switched = option_changes.some(({ name, kind }) => name === 'enable' || kind === 'nic_flag');
  return switched && [...rules, ...(guest.state.rules ?? [])].some(({ action }) => denies(action));
}

const isSwitchedOn = ({ preview }: PreviewedGuest) =>
  preview.option_changes.some(({ name, after }) => name === 'enable' && after === '1');

/** Stored rules, sets and options that change what happens to traffic once they take effect. */
const effectiveItems = ({ preview }: PreviewedGuest) =>
  (preview.dormant ?? []).filter(({ severity, effect }) => severity !== 'info' && effect !== 'none');

const TESTS: Partial<Record<PreviewWarningCode, (guest: PreviewedGuest) => boolean>> = {
  default_policy_changes: (guest) =>
    listDefaultChanges(guest).some(({ before, after }) => before.in !== after.in || before.out !== after.out),
  dormant_content: (guest) => effectiveItems(guest).length > 0,
  firewall_switched_on: isSwitchedOn,
  mac_filter: ({ preview, state }) =>
    preview.option_changes.some(({ name, kind }) => name === 'enable' || kind === 'nic_flag') &&
    state.options !== null &&
    effectiveOptions(state.options).macfilter,
  established_connections: isMoreRestrictive,
  order_changes: ({ preview }) => (preview.changes?.moved.length ?? 0) > 0,
  log_limits: ({ preview }) => preview.changes?.added.some(({ log }) => log !== null && log !== 'nolog') ?? false,
  reject_becomes_drop: ({ preview, workload }) =>
    workload.nftables === true && preview.rules.some(({ action, type }) => action === 'REJECT' && type === 'in'),
  interface_not_switchable: ({ preview, state }) =>
    preview.rules.length > 0 &&
    (toGuestFilter(state)?.nics.some(({ firewall, editable }) => !firewall && !editable) ?? false),
  guest_unreadable: ({ preview, state }) => state.presence !== 'absent' && preview.changes === null,
  guest_missing: ({ state }) => state.presence === 'absent',
  guest_locked: ({ workload, preview }) =>
    workload.lock !== null && preview.option_changes.some(({ kind }) => kind === 'nic_flag'),
};

const warn = (
  code: PreviewWarningCode,
  clusterId: string | null = null,
  guests: readonly PreviewedGuest[] = [],
  detail = '',
): PreviewWarning => ({
  code,
  message: detail === '' ? MESSAGES[code] : `${detail}${/[.]$/.test(detail) ? '' : ':'} ${MESSAGES[code]}`,
  cluster_id: clusterId,
  guests_total: guests.length,
  guests: guests.slice(0, NAMED).map(({ workload: { id, name, vmid } }) => ({ workload_id: id, name, vmid })),
});

const SERIOUS = new Set<PreviewWarningCode>(['default_policy_changes', 'guest_unreadable', 'guest_missing']);

/** What a warning says about a guest. */
function messageAt(code: PreviewWarningCode, guest: PreviewedGuest): string {
  const passes = code === 'firewall_switched_on' && effectiveItems(guest).length === 0;
  return passes ? `${MESSAGES[code]} ${KEEPS_PASSING}` : MESSAGES[code];
}

const codesAt = (guest: PreviewedGuest) =>
  (Object.entries(TESTS) as [PreviewWarningCode, (guest: PreviewedGuest) => boolean][]).flatMap(([code, test]) =>
    test(guest) ? [code] : [],
  );

/** Everything to know about one guest before applying; stored content that takes effect is named item by item. */
export function guestWarnings(guest: PreviewedGuest): GuestWarning[] {
  return codesAt(guest).flatMap((code): GuestWarning[] => {
    if (code === 'dormant_content')
      return effectiveItems(guest).map(({ severity, message }) => ({ code, severity, message }));
    return [{ code, severity: SERIOUS.has(code) ? 'warning' : 'info', message: messageAt(code, guest) }];
  });
}

/** What the cluster said when it was asked for its options, and what to do about it. */
function listUnreadableReasons({ unreadable }: ClusterSnapshot): string[] {
  const note = unreadable.find(({ part }) => part === 'options');
  return [note?.message, note?.remedy].filter((text) => text !== undefined && text !== '') as string[];
}

/** Everything to know before applying, in the order of its weight within a cluster. */
export function previewWarnings(
  policy: Pick<InputPolicy, 'enabled' | 'definition' | 'tenant_id'>,
  clusters: readonly PreviewedCluster[],
  notes: Compiled['warnings'],
): PreviewWarning[] {
  const warnings: PreviewWarning[] = [];
  if (policy.definition.enforcement_mode === 'audit') warnings.push(warn('audit_mode'));
  if (!policy.enabled) warnings.push(warn('policy_disabled'));
  const all = clusters.flatMap(({ guests }) => guests);
  if (!all.some(({ preview }) => preview.rules.length > 0)) warnings.push(warn('no_rules'));
  for (const { cluster, state, guests } of clusters) {
    if (state.firewall_enabled === false) warnings.push(warn('cluster_firewall_off', cluster.id, guests));
    if (state.firewall_enabled === null) {
      const warning = warn('cluster_firewall_unknown', cluster.id, guests);
      warnings.push({ ...warning, message: [warning.message, ...listUnreadableReasons(state)].join(' ') });
    }
    const failing = guests.filter((guest) => isNodeFailing(guest, state));
    if (failing.length > 0) {
      warnings.push(warn('node_cannot_compile', cluster.id, failing, describeFailures(failing, state)));
    }
    // Zero only where it is known: what could not be read may hold unmanaged rules.
    const exposed = guests.filter(({ preview }) => preview.foreign_rules !== 0);
    if (policy.tenant_id === null && cluster.rule_placement === 'below' && exposed.length > 0) {
      warnings.push(warn('unmanaged_rules_first', cluster.id, exposed));
    }
    const breaking = guests.filter((guest) => listFailuresAfter(guest, state).length > 0);
    if (breaking.length > 0) {
      warnings.push(warn('node_would_not_compile', cluster.id, breaking, describeFailures(breaking, state)));
    }
    for (const [code, test] of Object.entries(TESTS) as [PreviewWarningCode, (guest: PreviewedGuest) => boolean][]) {
      const concerned = groupBy(
        guests.filter((guest) => test(guest)),
        (guest) => messageAt(code, guest),
      );
      for (const [message, list] of concerned) warnings.push({ ...warn(code, cluster.id, list), message });
    }
  }
  for (const { code, detail } of notes) warnings.push(warn(code, null, [], detail));
  return warnings;
}
