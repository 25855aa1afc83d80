import type { LiveRule } from '@/domain/firewall/live-state';
import { viewOfLiveRule, viewOfWantedRule } from '@/domain/firewall/rule-view';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { parseMarker } from '@/domain/policy/marker';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';
import { type Layout, layOut } from '@/domain/policy/plan/layout';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import type { GuestChangesPreview, GuestPreview, OptionChange } from '@/domain/policy-preview';
import type { WorldWorkload } from '../../../repositories/policy-world';
import type { LiveGuestReading } from '../../firewall/live-reader';

/** The reading as planning needs it: complete, or null. */
export function filterOf({ rules, options, ipsets, nics, pending_nics }: GuestSnapshot): GuestFilter | null {
  if (!rules || !options || !ipsets || !nics) return null;
  return {
    rules,
    options,
    sets: ipsets,
    nics: nics.map(({ name, firewall, mac }) => ({
      name,
      firewall: firewall === true,
      editable: firewall !== null && mac !== null && !pending_nics.includes(name),
    })),
  };
}

/** The list as it shall be, so that only switches are left to be planned. */
function rulesAfter({ slots }: Layout): LiveRule[] {
  return slots.map((slot, pos) => {
    if (slot.kind === 'anchor') return { ...slot.rule, pos };
    const { content, comment } = slot.wanted;
    return { pos, ...content, enable: 1, comment };
  });
}

/** The switches that applying would turn. */
function optionChanges(filter: GuestFilter, intent: GuestIntent, layout: Layout): OptionChange[] {
  const sets = Object.fromEntries(intent.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))]));
  const settled = { ...filter, rules: rulesAfter(layout), sets: { ...filter.sets, ...sets } };
  const changes = new Map<string, OptionChange>();
  for (const step of planGuest(settled, intent).steps) {
    if (step.kind === 'set_nic_flag') {
      changes.set(step.nic, { kind: 'nic_flag', name: step.nic, before: '0', after: '1' });
    } else if (step.kind === 'set_options') {
      for (const [name, after] of Object.entries(step.changes)) {
        const before = filter.options[name as 'enable' | 'policy_in' | 'policy_out'];
        changes.set(name, {
          kind: 'guest_option',
          name,
          before: before === undefined ? null : String(before),
          after: String(after),
        });
      }
    }
  }
  return [...changes.values()];
}

function ruleChanges(layout: Layout, instance: string, vmid: number): GuestChangesPreview {
  const live = (rule: LiveRule) => viewOfLiveRule(rule, instance, vmid);
  const changes: GuestChangesPreview = {
    added: [],
    kept: [],
    moved: [],
    removed: layout.stale.map(({ rule, reason }) => ({ ...live(rule), reason })),
  };
  for (const slot of layout.slots) {
    if (slot.kind === 'anchor') continue;
    if (!slot.live) changes.added.push(viewOfWantedRule(slot.wanted));
    else (slot.in_place ? changes.kept : changes.moved).push(live(slot.live));
  }
  return changes;
}

/** What applying would change at one guest, as far as it could be read. */
export function previewGuest(workload: WorldWorkload, intent: GuestIntent, reading: LiveGuestReading): GuestPreview {
  const { id, vmid, name, external_id, node_name } = workload;
  const { state, read_at } = reading;
  const filter = filterOf(state);
  const layout = filter && layOut(filter.rules, intent);
  return {
    workload_id: id,
    vmid,
    name,
    external_id,
    node_name,
    rules: intent.rules.map((rule) => viewOfWantedRule(rule)),
    sets: intent.sets.map(({ name: set, cidrs }) => ({ name: set, cidrs: [...cidrs] })),
    changes: layout && ruleChanges(layout, intent.instance, vmid),
    option_changes: filter && layout ? optionChanges(filter, intent, layout) : [],
    foreign_rules: filter?.rules.filter(({ comment }) => parseMarker(comment) === null).length ?? null,
    unreadable: [...state.unreadable],
    read_at,
  };
}
