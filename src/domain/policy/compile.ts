import { isIcmpTypeReadable } from '../firewall/nftables-compile-failure';
import { getOwnerId } from './acts-on';
import type {
  CompilablePolicy,
  Compiled,
  CompileWarning,
  DesiredGuest,
  DesiredRule,
  DesiredSet,
  RuleContent,
  UnresolvedEndpoint,
} from './desired';
import type { IndexedWorkload, InventoryIndex } from './inventory-index';
import { contentHash, formatMarker } from './marker';
import { resolvePeers, resolveWorkloads, spansToText } from './resolve';
import { type PeerList, protocolFamily, splitRule } from './split-rule';
import { comparePolicies } from './tier';

type Draft = {
  workload: IndexedWorkload;
  rules: DesiredRule[];
  sets: Map<string, DesiredSet>;
  in: string[];
  out: string[];
};
type Notes = { unresolved: UnresolvedEndpoint[]; warnings: CompileWarning[] };
type Side = 'source' | 'target';

const listEndpoints = (policy: CompilablePolicy, side: Side) =>
  [...new Set(side === 'source' ? policy.definition.sources : policy.definition.targets)].sort();

/** Workloads of one side, each once, those without rules for a named reason left out. */
function resolveSideWorkloads(
  policy: CompilablePolicy,
  side: Side,
  index: InventoryIndex,
  notes: Notes,
): IndexedWorkload[] {
  const places = new Map<string, IndexedWorkload>();
  for (const endpoint of listEndpoints(policy, side)) {
    const found = resolveWorkloads(endpoint, index, getOwnerId(policy));
    if ('reason' in found) notes.unresolved.push({ policy_id: policy.id, side, endpoint, reason: found.reason });
    else for (const workload of found) places.set(workload.id, workload);
  }
  return [...places.values()];
}

/** Address lists of one side, by family. Empty when nothing resolves: then there is no rule, never one for every address. */
function resolveSidePeers(policy: CompilablePolicy, side: Side, index: InventoryIndex, notes: Notes): PeerList[] {
  const spans = { 4: [] as { first: bigint; last: bigint }[], 6: [] as { first: bigint; last: bigint }[] };
  let any = false;
  for (const endpoint of listEndpoints(policy, side)) {
    const found = resolvePeers(endpoint, index, getOwnerId(policy));
    if (found === 'any') any = true;
    else if ('reason' in found) notes.unresolved.push({ policy_id: policy.id, side, endpoint, reason: found.reason });
    else {
      spans[4].push(...found[4]);
      spans[6].push(...found[6]);
      for (const { name } of found.without_address) {
        notes.warnings.push({ policy_id: policy.id, code: 'workload_without_address', detail: name });
      }
    }
  }
  if (any) return [{ family: null, cidrs: 'any' }];
  return ([4, 6] as const)
    .map((family) => ({ family, cidrs: spansToText(spans[family], family) }))
    .filter(({ cidrs }) => cidrs.length > 0);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Positions are unique where rules are stored; the content makes the order total wherever they come from. */
const compareRules = (a: CompilablePolicy['rules'][number], b: CompilablePolicy['rules'][number]) =>
  a.position - b.position || compareText(ruleText(a), ruleText(b));
const ruleText = (rule: CompilablePolicy['rules'][number]) =>
  JSON.stringify(Object.entries(rule).sort(([a], [b]) => compareText(a, b)));

type Template = { position: number; hash: string; content: RuleContent; comment: string };

/** The canonical text that a rule's hash is taken of. */
export const canonicalRule = (position: number, part: number, content: RuleContent, comment: string) =>
  JSON.stringify([
    position,
    part,
    content.type,
    content.action,
    content.proto ?? '',
    content.source ?? '',
    content.dest ?? '',
    content.sport ?? '',
    content.dport ?? '',
    content['icmp-type'] ?? '',
    content.log ?? '',
    comment,
  ]);

/** Rules of one direction, the same at every guest but for the marker. */
function buildTemplates(policy: CompilablePolicy, type: 'in' | 'out', peers: readonly PeerList[], notes: Notes) {
  const templates: Template[] = [];
  const sets = new Map<string, DesiredSet>();
  // Parts are counted on over rules at one position, so that no two rules of a policy share a hash.
  let part = 0;
  let last = -1;
  for (const rule of [...policy.rules].sort(compareRules)) {
    if (!rule.enabled) continue;
    // Stored before such a type was refused. One rule of it stops the firewall of the whole node.
    if (!isIcmpTypeReadable(rule.icmp_type, rule.protocol)) {
      notes.warnings.push({ policy_id: policy.id, code: 'icmp_type_unreadable', detail: rule.icmp_type ?? '' });
      continue;
    }
    const desired = protocolFamily(rule.protocol);
    const fitting = peers.filter(({ family }) => family === null || desired === null || family === desired);
    if (fitting.length === 0 && peers.length > 0) {
      notes.warnings.push({ policy_id: policy.id, code: 'no_address_of_family', detail: rule.protocol });
    }
    if (rule.position !== last) part = 0;
    last = rule.position;
    for (const list of fitting) {
      const { contents, set } = splitRule(rule, type, list);
      if (set) sets.set(set.name, set);
      for (const content of contents) {
        const hash = contentHash(canonicalRule(rule.position, part++, content, rule.comment));
        templates.push({ position: rule.position, hash, content, comment: rule.comment });
      }
    }
  }
  return { templates, sets };
}

function placeRules(
  policy: CompilablePolicy,
  type: 'in' | 'out',
  index: InventoryIndex,
  instance: string,
  drafts: Map<string, Draft>,
  notes: Notes,
): void {
  const [here, there]: [Side, Side] = type === 'in' ? ['target', 'source'] : ['source', 'target'];
  const places = resolveSideWorkloads(policy, here, index, notes);
  const peers = resolveSidePeers(policy, there, index, notes);
  const since = policy.rules_version ?? policy.version;
  const { templates, sets } = buildTemplates(policy, type, peers, notes);
  for (const workload of places) {
    const draft: Draft = drafts.get(workload.id) ?? { workload, rules: [], sets: new Map(), in: [], out: [] };
    drafts.set(workload.id, draft);
    // A default of dropping without a single rule of the policy would cut the guest off for an unresolved name.
    if (policy.definition.default_action === 'drop' && peers.length > 0) draft[type].push(policy.id);
    for (const [name, set] of sets) draft.sets.set(name, set);
    for (const { position, hash, content, comment } of templates) {
      const marker = formatMarker({
        instance,
        policy_id: policy.id,
        version: policy.version,
        rule_hash: hash,
        vmid: workload.vmid,
      });
      draft.rules.push({
        policy_id: policy.id,
        policy_version: policy.version,
        ...(since < policy.version && { since_version: since }),
        rule_position: position,
        rule_hash: hash,
        content,
        comment: comment === '' ? marker : `${marker} ${comment}`,
      });
    }
  }
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).entries()]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, item]) => item);
}

/**
 * The rules that policies require at every guest: one inbound rule at each target, one outbound rule at each source,
 * according to the policy's direction. An endpoint that resolves to nothing yields no rule and is listed with a
 * reason; it never widens a rule. Same policies and inventory in any order: same result, byte for byte.
 * @param instance id of this installation, written into every marker
 */
export function compilePolicies(
  policies: readonly CompilablePolicy[],
  index: InventoryIndex,
  instance: string,
): Compiled {
  const drafts = new Map<string, Draft>();
  const notes: Notes = { unresolved: [], warnings: [] };
  for (const policy of [...policies].sort(comparePolicies)) {
    const { direction } = policy.definition;
    if (direction !== 'out') placeRules(policy, 'in', index, instance, drafts, notes);
    if (direction !== 'in') placeRules(policy, 'out', index, instance, drafts, notes);
  }
  const guests = [...drafts.values()]
    .filter(({ rules, in: dropIn, out }) => rules.length + dropIn.length + out.length > 0)
    .map(({ workload, rules, sets, in: drop_in, out: drop_out }): DesiredGuest => {
      const { cluster_id, id: workload_id, vmid } = workload;
      const sorted = [...sets.values()].sort((a, b) => compareText(a.name, b.name));
      return { cluster_id, workload_id, vmid, rules, sets: sorted, drop_in, drop_out };
    })
    .sort(
      (a, b) => compareText(a.cluster_id, b.cluster_id) || a.vmid - b.vmid || compareText(a.workload_id, b.workload_id),
    );
  return { guests, unresolved: distinct(notes.unresolved), warnings: distinct(notes.warnings) };
}
