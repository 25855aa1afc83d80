import { evaluate } from '../firewall/evaluate';
import type { LiveNode, LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { type PreparedGuest, prepareGuest } from '../firewall/prepare-guest';
import type { Builtin, DefiniteVerdict, Verdict } from '../firewall/verdict';
import type { DesiredGuest } from '../policy/desired';
import type { AuditOutcome } from './flow-context';

/** What one policy in audit mode would put at one guest, ready to be asked. */
export type AuditPolicy = {
  readonly policy_id: string;
  /** As of the policy: null is the platform's own. */
  readonly tenant_id: string | null;
  readonly project_id: string | null;
  readonly rules: DesiredGuest['rules'];
  /** Directions whose default it would make drop. */
  readonly drops: { readonly in: boolean; readonly out: boolean };
  readonly chain: PreparedGuest;
};

/** Drops nothing by itself. */
const UNFILTERING_NODE: LiveNode = {
  options: { nosmurfs: 0, nf_conntrack_allow_invalid: 1 },
  networks: [],
  rules: [],
};

/** Its rules and nothing else: no rule of the hypervisor's own comes before them, and what matches none passes. */
function prepareChain(requested: DesiredGuest): PreparedGuest {
  const state: LiveState = {
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
    guest: {
      options: { enable: 1, policy_in: 'ACCEPT', policy_out: 'ACCEPT', dhcp: 0, ndp: 0, macfilter: 0, radv: 1 },
      rules: requested.rules.map(({ content, comment }, pos) => ({ pos, ...content, enable: 1, comment })),
      ipsets: Object.fromEntries(requested.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))])),
      aliases: {},
    },
    node: UNFILTERING_NODE,
  };
  // Compiled rules name no interface, so one preparation serves all of them.
  return prepareGuest(state, { name: 'net0', firewall: true, mac: null });
}

/** Prepares a policy for one guest. `requested` is what the policy alone compiles to there. */
export function prepareAuditPolicy(
  policy: { id: string; tenant_id: string | null; project_id?: string | null },
  requested: DesiredGuest,
): AuditPolicy {
  return {
    policy_id: policy.id,
    tenant_id: policy.tenant_id,
    project_id: policy.project_id ?? null,
    rules: requested.rules,
    drops: { in: requested.drop_in.length > 0, out: requested.drop_out.length > 0 },
    chain: prepareChain(requested),
  };
}

/** The guest as it is but filtering, and dropping what no rule decides. */
export function droppingGuest(state: LiveState, nic: Parameters<typeof prepareGuest>[1]): PreparedGuest {
  const { guest, cluster } = state;
  const dropping: LiveState = {
    ...state,
    cluster: { ...cluster, firewall_enabled: true },
    guest: {
      ...guest,
      options: guest.options && { ...guest.options, enable: 1, policy_in: 'DROP', policy_out: 'DROP' },
    },
  };
  return prepareGuest(dropping, { ...nic, firewall: true });
}

/** Rules that only a default of dropping brings along. */
const IN_FRONT_OF_DROP: readonly Builtin[] = ['broadcast', 'windows_noise', 'upnp', 'not_syn', 'dns_reply', 'whois'];

function getDefaultVerdict({ verdict, decided_by }: Verdict): DefiniteVerdict | null {
  if (verdict === 'unknown' || verdict === 'accept') return null;
  if (decided_by.kind === 'default') return verdict;
  return decided_by.kind === 'builtin' && IN_FRONT_OF_DROP.includes(decided_by.name) ? verdict : null;
}

/**
 * What policies in audit mode would do with a packet that is allowed now, or that is not filtered: each on its own,
 * those with a matching rule first, then those whose default would drop it. A policy that does not affect the packet
 * is not listed.
 * @param policies in the order in which they would be placed on the guest
 * @param live what is enforced
 * @param dropping verdict of `droppingGuest`
 */
export function auditOutcomes(
  policies: readonly AuditPolicy[],
  packet: Packet,
  live: Verdict,
  dropping: () => Verdict,
): AuditOutcome[] {
  const outcomes: AuditOutcome[] = [];
  const others: AuditPolicy[] = [];
  for (const policy of policies) {
    const { verdict, decided_by } = evaluate(policy.chain, packet);
    if (decided_by.kind === 'rule' && verdict !== 'unknown') {
      const rule = policy.rules[decided_by.position];
      outcomes.push({
        policy_id: policy.policy_id,
        verdict,
        by: 'rule',
        rule_position: rule?.rule_position ?? null,
        rule_hash: rule?.rule_hash ?? null,
      });
    } else if (decided_by.kind !== 'unknown' && policy.drops[packet.direction]) others.push(policy);
  }
  if (others.length === 0 || live.verdict !== 'accept') return outcomes;
  const verdict = getDefaultVerdict(dropping());
  if (verdict === null) return outcomes;
  for (const { policy_id } of others) {
    outcomes.push({ policy_id, verdict, by: 'default', rule_position: null, rule_hash: null });
  }
  return outcomes;
}
