import { createHash } from 'node:crypto';
import { completeLiveNode, type LiveRule } from '@/domain/firewall/live-state';
import { toDesiredRuleView, toLiveRuleView } from '@/domain/firewall/rule-view';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { describeOversize, findOversize } from '@/domain/policy/file-size';
import { parseMarker } from '@/domain/policy/marker';
import { fingerprintText, type PlanContext } from '@/domain/policy/plan/approved-plan';
import { type DormantSubject, findDormantContent, settle } from '@/domain/policy/plan/dormant';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';
import { computeLayout, type Layout } from '@/domain/policy/plan/layout';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import { switchChanges } from '@/domain/policy/plan/switch-changes';
import type { DormantView, GuestChangesPreview, GuestPreview, OptionChange } from '@/domain/policy-preview';
import { AppError } from '../../../lib/errors';
import { oldestReadAt, type Timed, type TimedGuest } from '../../guest-firewall/live-reader';
import type { RuleNamer } from '../../guest-firewall/named-rules';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { redactChanges, redactDormant } from '../../guest-firewall/redact-state';
import type { InputWorkload } from '../../queries/policy-inputs';

/** Fingerprint of a guest as it was read together with what is planned for it; another one means that one of both changed. */
export const guestFingerprint = (
  filter: GuestFilter,
  intent: GuestIntent,
  context: PlanContext,
  plan = planGuest(filter, intent),
): string =>
  createHash('sha256')
    .update(fingerprintText(filter, intent, context, plan))
    .digest('base64url');

/** The switches that applying would turn. */
const optionChanges = (filter: GuestFilter, intent: GuestIntent, layout: Layout): OptionChange[] =>
  switchChanges(filter, planGuest(settle(filter, intent, layout), intent).after);

function ruleChanges(layout: Layout, instance: string, vmid: number): GuestChangesPreview {
  const live = (rule: LiveRule) => toLiveRuleView(rule, instance, vmid);
  const changes: GuestChangesPreview = {
    added: [],
    kept: [],
    moved: [],
    removed: layout.stale.map(({ rule, reason }) => ({ ...live(rule), reason })),
  };
  for (const slot of layout.slots) {
    if (slot.kind === 'anchor') continue;
    if (!slot.live) changes.added.push(toDesiredRuleView(slot.desired));
    else (slot.in_place ? changes.kept : changes.moved).push(live(slot.live));
  }
  return changes;
}

type Known = { readonly workload: InputWorkload; readonly state: GuestSnapshot; readonly cluster: ClusterSnapshot };

function dormantSubject(filter: GuestFilter, intent: GuestIntent, { workload, state, cluster }: Known): DormantSubject {
  const node = completeLiveNode(cluster, workload.node_name, workload.nftables);
  const { addresses } = workload;
  return { filter, intent, cluster, aliases: state.aliases, nics: state.nics ?? [], node, addresses };
}

/** What is stored at a guest and takes effect with its switches, as the API shows it. */
export function dormantAt(filter: GuestFilter, intent: GuestIntent, known: Known): DormantView[] {
  return findDormantContent(dormantSubject(filter, intent, known)).map(({ interfaces, rule, ...item }) => ({
    ...item,
    position: rule?.pos ?? null,
    interfaces: [...interfaces],
    rule: rule && toLiveRuleView(rule, intent.instance, intent.vmid),
  }));
}

/** What applying would change at a guest, and the fingerprint of all that this was worked out from. */
export function previewDifference(filter: GuestFilter, intent: GuestIntent, known: Known) {
  const { state, cluster, workload } = known;
  const layout = computeLayout(filter.rules, intent);
  return {
    fingerprint: guestFingerprint(filter, intent, {
      aliases: state.aliases,
      nics: state.nics ?? [],
      cluster,
      node: workload.node_name,
    }),
    changes: ruleChanges(layout, intent.instance, intent.vmid),
    option_changes: optionChanges(filter, intent, layout),
    dormant: dormantAt(filter, intent, known),
  };
}

/** What applying would change at one guest, as far as it could be read. Its warnings are added by who sees all guests. @throws AppError `refused` when its file has no room */
export function previewGuest(
  workload: InputWorkload,
  intent: GuestIntent,
  snapshot: TimedGuest,
  cluster: Timed<ClusterSnapshot>,
  namer: RuleNamer,
): GuestPreview {
  const { id, vmid, name, external_id, node_name } = workload;
  const { state } = snapshot;
  const filter = toGuestFilter(state);
  const oversize = filter && findOversize(filter, intent);
  if (oversize) throw new AppError('refused', describeOversize(oversize, `${name} (${vmid})`));
  const difference = filter && previewDifference(filter, intent, { workload, state, cluster: cluster.state });
  return {
    workload_id: id,
    vmid,
    name,
    external_id,
    node_name,
    rules: intent.rules.map((rule) => toDesiredRuleView(rule)),
    sets: intent.sets.map(({ name: set, cidrs }) => ({ name: set, cidrs: [...cidrs] })),
    changes: difference ? redactChanges(difference.changes, namer) : null,
    option_changes: difference?.option_changes ?? [],
    dormant: difference ? redactDormant(difference.dormant, namer) : null,
    warnings: [],
    fingerprint: difference?.fingerprint ?? null,
    foreign_rules: filter?.rules.filter(({ comment }) => parseMarker(comment) === null).length ?? null,
    unreadable: [...state.unreadable],
    read_at: oldestReadAt(snapshot, cluster),
  };
}
