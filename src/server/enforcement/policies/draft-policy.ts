import { DAY_MS } from '@/domain/durations';
import { icmpName } from '@/domain/firewall/data/icmp-types';
import { getReachableTenants, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import { getOwnerId } from '@/domain/policy/acts-on';
import { protocolHasPorts, RULE_PROTOCOLS } from '@/domain/policy/choices';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { proposeEndpoint } from '@/domain/policy/propose-endpoint';
import type { DraftEnd, DraftProposal, PolicyDraft, PolicyDraftInput } from '@/domain/policy-draft';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { readConfidence } from '../../traffic/agents/read-confidence';
import { readFirewallState } from './firewall-state/read-firewall-state';

const MAX_NAME = 100;
const PLATFORM: Owned = { tenant_id: null, project_id: null };
const VERBS = { accept: 'Allow', drop: 'Drop', reject: 'Reject' } as const;

type Rule = PolicyDraft['rules'][number];

/** The rule for a service. Null if the service is not known exactly: a rule without ports would match all of them. */
function ruleFor({ action, protocol, port, icmp_type }: PolicyDraftInput): Rule | null {
  const name = protocol === 'ipv6-icmp' ? 'icmpv6' : protocol;
  const known = RULE_PROTOCOLS.find((one) => one === name && one !== 'any');
  if (!known) return null;
  if (protocolHasPorts(known)) {
    return port === undefined ? null : { action, protocol: known, destination_ports: [String(port)], icmp_type: null };
  }
  const type = icmp_type === undefined ? null : icmpName(icmp_type, known === 'icmp' ? 4 : 6);
  if (icmp_type !== undefined && type === null) return null;
  return { action, protocol: known, destination_ports: [], icmp_type: type };
}

/** What the policy does, in plain words: `Allow tcp/5432 from web to pg-01`. */
function formatPolicyName(
  input: PolicyDraftInput,
  rule: Rule | null,
  source: DraftProposal,
  target: DraftProposal,
): string {
  const port = rule?.destination_ports[0];
  const service = rule && (port === undefined ? rule.protocol : `${rule.protocol}/${port}`);
  const ends = [source.label && `from ${source.label}`, target.label && `to ${target.label}`].filter(Boolean);
  const words = [VERBS[input.action], service ?? 'traffic', ...ends].join(' ');
  const name = service || source.label ? words : target.label ? `Policy for ${target.label}` : '';
  return name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, MAX_NAME)
    .trim();
}

const listEndWorkloadIds = (end: DraftEnd) =>
  end.workload_id === undefined ? (end.workload_ids ?? []) : [end.workload_id];

/** The owners of the visible things in the input, those of the destination first. */
function listOwners(input: PolicyDraftInput, index: InventoryIndex, reach: Reach): Owned[] {
  return [input.destination, input.source].flatMap((end) => {
    const { security_group_id: id } = end;
    const groups = id === undefined ? [] : (index.groups.get(id) ?? []).filter((group) => group.id === id);
    const workloads = listEndWorkloadIds(end).flatMap((one) => index.workloads.get(one) ?? []);
    const owned = [...groups, ...workloads].map(({ tenant_id, project_id }) => ({
      tenant_id,
      project_id: project_id ?? null,
    }));
    return owned.filter((one) => isWithinReach(one, reach));
  });
}

/**
 * Owners that the policy can have. Who acts for the installation may choose between the one tenant that everything named belongs to
 * and the installation; others have the tenant, or project, of the workload that gets the rules.
 */
function possibleOwners(input: PolicyDraftInput, index: InventoryIndex, reach: Reach): Owned[] {
  const owners = listOwners(input, index, reach);
  const [first] = owners;
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') {
    const isOne = first && first.tenant_id !== null && owners.every(({ tenant_id }) => tenant_id === first.tenant_id);
    return isOne ? [{ tenant_id: first.tenant_id, project_id: null }, PLATFORM] : [PLATFORM];
  }
  if (!first) return [];
  const isWhole = first.tenant_id !== null && tenants.includes(first.tenant_id);
  return [isWhole ? { tenant_id: first.tenant_id, project_id: null } : first];
}

/** The same end without a workload that is not visible. */
function withinReach(end: DraftEnd, index: InventoryIndex, reach: Reach): DraftEnd {
  const isVisible = (id: string) => {
    const workload = index.workloads.get(id);
    return workload !== undefined && isWithinReach({ ...workload, project_id: workload.project_id ?? null }, reach);
  };
  const { workload_id, ...rest } = end;
  return workload_id === undefined || isVisible(workload_id) ? end : rest;
}

/**
 * How far the last day was observed at some workloads, as far as their flows may be read, rounded down to thousandths: the day ends
 * now, so a finer score differs in each call. Null: at none of them.
 */
async function readEvidence(flows: Scope<'flow:read'> | null, ids: readonly string[]): Promise<number | null> {
  if (!flows || ids.length === 0) return null;
  const now = clock.now().getTime();
  const { items, score } = await readConfidence(flows.reach, ids, { since: now - DAY_MS, until: now });
  return items.length === 0 ? null : Math.floor(score * 1000) / 1000;
}

/**
 * A policy in audit mode for observed traffic, or for some workloads. Nothing is stored. Ten queries at most while the inventory is
 * the same.
 * @param flows evidence that the draft may say how far traffic was observed
 */
export async function draftPolicy(
  scope: Scope<'policy:write'>,
  flows: Scope<'flow:read'> | null,
  input: PolicyDraftInput,
): Promise<PolicyDraft> {
  const { inputs } = await readFirewallState();
  const { index } = inputs;
  const { reach } = scope;
  const rule = ruleFor(input);
  const source = withinReach(input.source, index, reach);
  const destination = withinReach(input.destination, index, reach);
  const drafts = possibleOwners(input, index, reach).map((owner) => {
    const of = getOwnerId(owner);
    const ends = [source, destination].map((end) => proposeEndpoint(end, index, of));
    const groups = ends.filter(({ kind }) => kind === 'security_group').length;
    return { owner, ends, groups };
  });
  const best = drafts.reduce<(typeof drafts)[number] | undefined>(
    (kept, one) => (kept && kept.groups >= one.groups ? kept : one),
    undefined,
  );
  // Without a visible workload there is no owner to resolve names for: only addresses are left.
  const address = (end: DraftEnd) => proposeEndpoint({ address: end.address }, index, null);
  const [from = address(source), to = address(destination)] = best?.ends ?? [];
  const isPlace = ({ kind }: DraftProposal) => kind !== null && kind !== 'address';
  const direction = input.direction ?? (!isPlace(to) && isPlace(from) ? 'out' : 'in');
  return {
    name: formatPolicyName(input, rule, from, to),
    tenant_id: best?.owner.tenant_id ?? null,
    project_id: best?.owner.project_id ?? null,
    definition: {
      enforcement_mode: 'audit',
      direction,
      default_action: 'none',
      sources: from.endpoints,
      targets: to.endpoints,
    },
    rules: rule ? [rule] : [],
    source: from,
    target: to,
    evidence_score: await readEvidence(flows, [...new Set([source, destination].flatMap(listEndWorkloadIds))]),
  };
}
