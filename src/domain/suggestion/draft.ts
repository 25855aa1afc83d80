import type { PolicyDefinition, SecurityRuleInput } from '../policy/policy';
import { NO_RESPONSIBILITY } from '../policy/responsibility';
import { type Assembled, assemblePolicies } from './assemble';
import { type Block, buildBlocks, type Groups, type Scores, type Side, scoreBlocks, type Widths } from './blocks';
import { formatService, type Service, type Talk } from './classify';
import { createNames, nameGroups } from './name-groups';
import type { KnownGroup, LeftOut, SuggestionWorkload } from './observed';

/** What was found in a scope: enough to make the draft for any groups. */
export type Evidence = {
  readonly talks: readonly Talk[];
  readonly workloads: readonly SuggestionWorkload[];
  readonly known_groups: readonly KnownGroup[];
  /** Names that the owner, or others whose groups the owner could mean, have. */
  readonly taken: { readonly groups: readonly string[]; readonly policies: readonly string[] };
};

/** A group as it is chosen; without a name it gets one. */
export type ChosenGroup = { readonly name: string | null; readonly workload_ids: readonly string[] };

export type DraftOptions = {
  readonly widths: Widths;
  /** Whether only what was seen is named where a group would be far more. */
  readonly narrow: boolean;
  /** Whether policies close what the others do not allow. */
  readonly close: boolean;
};

export type DraftGroup = {
  readonly name: string;
  readonly workload_ids: readonly string[];
  /** How policies name it. */
  readonly endpoint: string;
  /** `workload`: alone, so it needs no group. `known`: a group that exists has these members. */
  readonly kind: 'new' | 'known' | 'workload';
  readonly security_group_id: string | null;
  readonly in_scope: boolean;
};

export type RuleEvidence = {
  readonly conversations: number;
  readonly held_out: number;
  readonly bytes: number | null;
  readonly first_seen: number;
  readonly last_seen: number;
  /** Connections that it allows and that were used, by workload or /24 at each end. */
  readonly allowed: number | null;
  readonly used: number;
  /** Those with most conversations. */
  readonly peers: readonly { readonly client: string; readonly server: string; readonly conversations: number }[];
  readonly peers_total: number;
};

export type DraftPolicyKind = 'traffic' | 'infrastructure' | 'outside' | 'close';

export type SuggestedPolicy = {
  readonly kind: DraftPolicyKind;
  readonly name: string;
  readonly definition: PolicyDefinition;
  readonly rules: readonly { readonly rule: SecurityRuleInput; readonly evidence: RuleEvidence | null }[];
  /** What its addresses can be chosen for; null: it has none. */
  readonly width_keys: readonly string[];
};

export type Suggested = Scores & {
  readonly groups: readonly DraftGroup[];
  readonly policies: readonly SuggestedPolicy[];
  readonly left_out: readonly LeftOut[];
};

const MAX_POLICY_NAME = 100;
const MOST_PEERS = 5;

/** What the members of each group serve and use, most used first. */
function listServices(talks: readonly Talk[], groups: Groups, end: 'client' | 'server'): Service[][] {
  const counts = groups.members.map(() => new Map<string, { service: Service; count: number }>());
  for (const talk of talks) {
    const { workload_id } = talk[end];
    const group = workload_id === null ? undefined : groups.groupOf.get(workload_id);
    const known = group === undefined ? undefined : counts[group];
    const key = formatService(talk.service);
    known?.set(key, { service: talk.service, count: (known.get(key)?.count ?? 0) + talk.conversations });
  }
  return counts.map((one) => [...one.values()].sort((a, b) => b.count - a.count).map(({ service }) => service));
}

/** Groups with their names and endpoints: one that exists is used instead of another one with the same members. */
function describeGroups(evidence: Evidence, chosen: readonly ChosenGroup[], groups: Groups): DraftGroup[] {
  const { talks, workloads, known_groups, taken } = evidence;
  const byId = new Map(workloads.map((one) => [one.id, one]));
  const known = new Map(known_groups.map((group) => [[...group.workload_ids].sort().join(' '), group]));
  const [serves, uses] = [listServices(talks, groups, 'server'), listServices(talks, groups, 'client')];
  const kinds = chosen.map(({ workload_ids }) => {
    if (workload_ids.length === 1) return 'workload';
    return known.has([...workload_ids].sort().join(' ')) ? 'known' : 'new';
  });
  const named = chosen.flatMap(({ name }, at) => (kinds[at] === 'new' && name !== null ? [name] : []));
  const unnamed = chosen.flatMap(({ name }, at) => (kinds[at] === 'new' && name === null ? [at] : []));
  const proposed = nameGroups(
    unnamed.map((at) => ({
      members: (chosen[at]?.workload_ids ?? []).flatMap((id) => byId.get(id) ?? []),
      serves: serves[at] ?? [],
      uses: uses[at] ?? [],
    })),
    workloads,
    [...taken.groups, ...named],
  );
  const names = new Map(unnamed.map((at, n) => [at, proposed[n] as string]));
  return chosen.map(({ name, workload_ids }, at): DraftGroup => {
    const [first] = workload_ids.flatMap((id) => byId.get(id) ?? []);
    if (!first) throw new Error('expected a group with workloads of the suggestion');
    const base = { workload_ids, in_scope: first.in_scope, security_group_id: null };
    if (kinds[at] === 'workload') return { ...base, kind: 'workload', name: first.name, endpoint: first.endpoint };
    const group = known.get([...workload_ids].sort().join(' '));
    if (group)
      return { ...base, kind: 'known', name: group.name, endpoint: group.endpoint, security_group_id: group.id };
    const label = name ?? names.get(at) ?? '';
    return { ...base, kind: 'new', name: label, endpoint: `sg:${label}` };
  });
}

function describeEvidence(blocks: readonly Block[], getName: (id: string) => string): RuleEvidence {
  const talks = blocks.flatMap((block) => block.talks);
  const sum = (read: (talk: Talk) => number) => talks.reduce((total, talk) => total + read(talk), 0);
  const ordered = [...talks].sort((a, b) => b.conversations + b.held_out - a.conversations - a.held_out);
  const name = ({ workload_id, ip }: Talk['client']) => (workload_id === null ? ip : getName(workload_id));
  return {
    conversations: sum((talk) => talk.conversations),
    held_out: sum((talk) => talk.held_out),
    bytes: talks.every(({ bytes }) => bytes === null) ? null : sum(({ bytes }) => bytes ?? 0),
    first_seen: talks.reduce((least, { first_seen }) => Math.min(least, first_seen), Number.POSITIVE_INFINITY),
    last_seen: talks.reduce((most, { last_seen }) => Math.max(most, last_seen), 0),
    allowed: blocks.some(({ allowed }) => allowed === null)
      ? null
      : blocks.reduce((total, { allowed }) => total + (allowed ?? 0), 0),
    used: blocks.reduce((total, { used }) => total + used, 0),
    peers: ordered.slice(0, MOST_PEERS).map(({ client, server, conversations, held_out }) => ({
      client: name(client),
      server: name(server),
      conversations: conversations + held_out,
    })),
    peers_total: talks.length,
  };
}

const toRule = ({ protocol, port, icmp_type }: Service): SecurityRuleInput => ({
  action: 'accept',
  protocol,
  destination_ports: port === null ? [] : [String(port)],
  source_ports: [],
  icmp_type,
  log: 'nolog',
  enabled: true,
  comment: '',
  ...NO_RESPONSIBILITY,
});

function toEndpoints(sides: readonly Side[], groups: readonly DraftGroup[], getEndpoint: (id: string) => string) {
  return sides.flatMap((side) => {
    if (side.kind === 'group') return groups[side.group]?.endpoint ?? [];
    return side.kind === 'workloads' ? side.ids.map(getEndpoint) : side.networks;
  });
}

const definition = (
  direction: PolicyDefinition['direction'],
  ends: Pick<PolicyDefinition, 'sources' | 'targets'>,
  default_action: PolicyDefinition['default_action'] = 'none',
): PolicyDefinition => ({ enforcement_mode: 'audit', direction, default_action, ...ends });

/**
 * Policies that drop what the others do not allow, of workloads in the scope. Enforce them after the others. Groups without a rule are
 * not closed: what they need is not known.
 */
function closePolicies(
  groups: readonly DraftGroup[],
  blocks: readonly Block[],
  create: (name: string) => string,
): SuggestedPolicy[] {
  const ends = blocks.flatMap(({ talks }) =>
    talks.flatMap(({ client, server }) => [client.workload_id, server.workload_id]),
  );
  const ruled = new Set(ends);
  const inScope = groups
    .filter(({ in_scope, workload_ids }) => in_scope && workload_ids.some((id) => ruled.has(id)))
    .map(({ endpoint }) => endpoint);
  const found: SuggestedPolicy[] = [];
  for (let at = 0; at < inScope.length; at += MAX_POLICY_ENDPOINTS) {
    const part = inScope.slice(at, at + MAX_POLICY_ENDPOINTS);
    const base = { kind: 'close' as const, rules: [], width_keys: [] };
    found.push(
      {
        ...base,
        name: create('Drop other inbound traffic'),
        definition: definition('in', { sources: ['any'], targets: part }, 'drop'),
      },
      {
        ...base,
        name: create('Drop other outbound traffic'),
        definition: definition('out', { sources: part, targets: ['any'] }, 'drop'),
      },
    );
  }
  return found;
}

/** What a policy takes. */
export const MAX_POLICY_ENDPOINTS = 200;

function listUncovered(blocks: readonly Block[], evidence: Evidence, getName: (id: string) => string): LeftOut[] {
  const covered = new Set(blocks.flatMap((block) => block.talks));
  const name = ({ workload_id, ip }: Talk['client']) => (workload_id === null ? ip : getName(workload_id));
  return evidence.talks
    .filter((talk) => !covered.has(talk))
    .map(({ client, server, service, conversations, held_out, bytes, last_seen }) => ({
      reason: 'held_out' as const,
      client: name(client),
      server: name(server),
      service: formatService(service),
      conversations: conversations + held_out,
      bytes,
      last_seen,
    }));
}

const describeSide = (
  side: Assembled['sources'][number],
  groups: readonly DraftGroup[],
  getName: (id: string) => string,
) => {
  if (side.kind === 'group') return groups[side.group]?.name ?? '';
  if (side.kind === 'workloads')
    return side.ids.length === 1 ? getName(side.ids[0] as string) : `${side.ids.length} workloads`;
  const [only, ...more] = side.networks;
  if (more.length === 0 && only !== undefined && only !== 'any') return only;
  return side.external || only === 'any' ? 'outside' : `${side.networks.length} addresses`;
};

function describeSides(
  sides: Assembled['sources'],
  groups: readonly DraftGroup[],
  getName: (id: string) => string,
): string {
  const names = [...new Set(sides.map((side) => describeSide(side, groups, getName)))];
  return names.length > 2 ? `${names.length} groups` : names.join(', ');
}

/**
 * The draft for some groups: every conversation of the training part is allowed by a rule, and each rule names what it was made from.
 * No endpoint is wider than what the blocks count.
 */
export function draftPolicies(evidence: Evidence, chosen: readonly ChosenGroup[], options: DraftOptions): Suggested {
  const members = chosen.map(({ workload_ids }) => workload_ids);
  const groups: Groups = {
    members,
    groupOf: new Map(members.flatMap((ids, group) => ids.map((id) => [id, group] as const))),
  };
  const byId = new Map(evidence.workloads.map((one) => [one.id, one]));
  const getName = (id: string) => byId.get(id)?.name ?? id;
  const getEndpoint = (id: string) => byId.get(id)?.endpoint ?? id;
  const blocks = buildBlocks(evidence.talks, groups, options.widths, options.narrow);
  const described = describeGroups(evidence, chosen, groups);
  const isInScope = (side: Side) => {
    if (side.kind === 'addresses') return false;
    const id = side.kind === 'group' ? members[side.group]?.[0] : side.ids[0];
    return id !== undefined && byId.get(id)?.in_scope === true;
  };
  const create = createNames(evidence.taken.policies, MAX_POLICY_NAME);
  const policies = assemblePolicies(blocks, isInScope).map((one): SuggestedPolicy => {
    const { sources, targets, direction, kind, label, rules, width_keys } = one;
    const [from, to] = [describeSides(sources, described, getName), describeSides(targets, described, getName)];
    return {
      kind,
      name: create(`Allow ${label} from ${from} to ${to}`),
      definition: definition(direction, {
        sources: toEndpoints(sources, described, getEndpoint),
        targets: toEndpoints(targets, described, getEndpoint),
      }),
      rules: rules.map(({ service, blocks: of }) => ({
        rule: toRule(service),
        evidence: describeEvidence(of, getName),
      })),
      width_keys,
    };
  });
  return {
    ...scoreBlocks(blocks, evidence.talks),
    groups: described,
    policies: [...policies, ...(options.close ? closePolicies(described, blocks, create) : [])],
    left_out: listUncovered(blocks, evidence, getName),
  };
}
