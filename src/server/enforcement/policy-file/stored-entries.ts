import type { ManagedBy } from '@/domain/managed-source';
import type { Reach } from '@/domain/permissions';
import { belongsTo, getOwnerId } from '@/domain/policy/acts-on';
import { formatEndpoint } from '@/domain/policy/endpoint';
import { POLICY_TIERS } from '@/domain/policy/tier';
import type { FileProblem, StoredEntries, StoredEntry } from '@/domain/policy-file/diff';
import type { FILE_LISTS, PolicyFile } from '@/domain/policy-file/document';
import { nameReferences } from '@/domain/policy-file/name-references';
import { toTestContent } from '@/domain/policy-tests/definition';
import type { Executor } from '../../db/client';
import { AppError } from '../../lib/errors';
import { toGroupInput } from '../groups/groups';
import type { PolicyInputs } from '../policies/policy-inputs';
import { listGroupContents, listPolicyContents, listTestContents } from '../queries/policy-files';
import type { FileOwners } from './file-owners';

/** What a caller may read, kind by kind. */
export type FileReach = { readonly policies: Reach; readonly groups: Reach; readonly tests: Reach };

type Entry = PolicyFile[(typeof FILE_LISTS)[number]][number];

/** `null` first, then by code unit: the order does not depend on a language. */
const compareText = (a: string | number | null, b: string | number | null) =>
  a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1;

const compareOwners = (a: Entry, b: Entry) => compareText(a.tenant, b.tenant) || compareText(a.project, b.project);

const byOwnerAndName = (a: StoredEntry, b: StoredEntry) =>
  compareOwners(a.entry, b.entry) || compareText(a.entry.name, b.entry.name);

/** Order in which policies are evaluated: rows come by priority and creation. */
const byOwnerAndTier = (a: StoredEntry<'policies'>, b: StoredEntry<'policies'>) =>
  compareOwners(a.entry, b.entry) ||
  compareText(POLICY_TIERS.indexOf(a.entry.tier ?? 'tenant'), POLICY_TIERS.indexOf(b.entry.tier ?? 'tenant'));

const toStored = ({ id, version, managed_by }: { id: string; version: number; managed_by: ManagedBy | null }) => ({
  ...{ id, version },
  source: managed_by?.source ?? null,
});

const DEFAULT_VISIBILITY_OF_TENANTS = { tier: undefined, tenant_visibility: undefined };

/**
 * Everything that the caller sees in the form of a file, in its order. Six queries.
 * @throws AppError `conflict` where a name is ambiguous that is stored as an id
 */
export async function readStoredEntries(
  executor: Executor,
  reach: FileReach,
  owners: FileOwners,
  inputs: PolicyInputs,
): Promise<StoredEntries> {
  const problems: FileProblem[] = [];
  const cluster_names = new Map([...inputs.clusters.values()].map(({ id, name }) => [id, name]));
  const index = { ...inputs.index, cluster_names };
  const nameAll = (texts: readonly string[], owner: Parameters<typeof getOwnerId>[0], field: string): string[] => {
    const named = texts.map((text) => {
      const found = nameReferences(text, index, getOwnerId(owner));
      if ('text' in found) return found.text;
      problems.push({ field, message: `${text}: ${found.problem}` });
      return text;
    });
    return [...new Set(named)];
  };
  const added = new Map(inputs.groups.map((group) => [group.id, group.added]));
  const listMembers = (group: Parameters<typeof getOwnerId>[0] & { id: string }): string[] =>
    (added.get(group.id) ?? [])
      .flatMap((id) => inputs.workloads.get(id) ?? [])
      .filter((workload) => belongsTo(getOwnerId(group), workload))
      .map(({ vmid, cluster_id }) => ({ vmid, cluster: cluster_names.get(cluster_id) ?? cluster_id }))
      .sort((a, b) => compareText(a.cluster, b.cluster) || a.vmid - b.vmid)
      .map(({ vmid, cluster }) => formatEndpoint({ kind: 'vmid', vmid, cluster }));

  const groups = (await listGroupContents(executor, reach.groups)).map(
    (row): StoredEntry<'security_groups'> => ({
      ...toStored(row),
      entry: { ...toGroupInput(row), ...owners.nameOf(row), members: listMembers(row) },
    }),
  );
  const policies = (await listPolicyContents(executor, reach.policies)).map((row): StoredEntry<'policies'> => {
    const { name, description, enabled, tier, tenant_visibility, priority, owner, ticket, expires_at, definition } =
      row;
    const { enforcement_mode, direction, default_action } = definition;
    const rules = row.rules.map(({ id: _, position: __, policy_id: ___, ...rule }) => rule);
    const tiered = row.tenant_id === null ? { tier, tenant_visibility } : DEFAULT_VISIBILITY_OF_TENANTS;
    const sources = nameAll(definition.sources, row, `policies ${name}`);
    const targets = nameAll(definition.targets, row, `policies ${name}`);
    const responsible = { owner, ticket, expires_at };
    const entry = { name, description, enabled, priority, ...responsible, ...tiered, rules, ...owners.nameOf(row) };
    const written = { enforcement_mode, direction, sources, targets, default_action };
    return { ...toStored(row), entry: { ...entry, definition: written } };
  });
  const tests = (await listTestContents(executor, reach.tests)).map((row): StoredEntry<'policy_tests'> => {
    const from = nameAll(row.from, row, `policy_tests ${row.name}`);
    const to = nameAll(row.to, row, `policy_tests ${row.name}`);
    const entry = { ...toTestContent(row), from, to, ...owners.nameOf(row) };
    return { ...toStored(row), entry };
  });
  if (problems.length > 0) {
    throw new AppError('conflict', 'A name is not enough to say what is meant, so it cannot be written to a file.', {
      errors: problems.slice(0, 50),
    });
  }
  return {
    security_groups: groups.sort(byOwnerAndName),
    policies: policies.sort(byOwnerAndTier),
    policy_tests: tests.sort(byOwnerAndName),
  };
}
