import type { ChangeEdit } from '@/domain/change/items';
import { getReachableTenants, type Owned } from '@/domain/permissions';
import { getOwnerId } from '@/domain/policy/acts-on';
import { parseEndpoint } from '@/domain/policy/endpoint';
import { pinGroup } from '@/domain/policy/pin-group';
import { resolvePeers, resolveWorkloads, type UnresolvedReason } from '@/domain/policy/resolve';
import {
  compareFile,
  type FileOperation,
  type FileProblem,
  findDuplicates,
  findManaged,
  type StoredEntries,
} from '@/domain/policy-file/diff';
import { FILE_LISTS, type PolicyFile } from '@/domain/policy-file/document';
import { findIdReference } from '@/domain/policy-file/name-references';
import type { PolicyFilePlanInput } from '@/domain/policy-file/plan';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import type { PolicyInputs } from '../policies/policy-inputs';
import { FileOwners } from './file-owners';
import { type FileReach, readStoredEntries } from './stored-entries';

export type FileEdit = { readonly operation: FileOperation; readonly item: ChangeEdit };

const REMEDIES: Partial<Record<UnresolvedReason, string>> = {
  ambiguous: 'Several objects have this name. Write a name that means one of them, such as vmid:cluster/105.',
  not_found: 'No such workload is visible to the owner of the group. Check the name.',
  not_a_workload: 'Name a single workload, as vmid:cluster/105 or by its name.',
  template: 'A template cannot be a member.',
};

/** The file with the ids that its names mean. */
class FileReader {
  readonly problems: FileProblem[] = [];

  constructor(
    readonly owners: FileOwners,
    readonly inputs: PolicyInputs,
  ) {}

  /** The owner of an entry. Where it is not found, a problem is noted. */
  findOwner(entry: { tenant: string | null; project: string | null }, field: string): Owned | null {
    const owner = this.owners.find(entry);
    if (!('message' in owner)) return owner;
    this.problems.push({ field: `${field}.${entry.project === null ? 'tenant' : 'project'}`, ...owner });
    return null;
  }

  /** The workloads that are named as members. */
  findMembers(members: readonly string[], owner: Owned, field: string): string[] {
    return members.flatMap((text, at) => {
      const refuse = (message: string) => {
        this.problems.push({ field: `${field}.members.${at}`, message: `${text}: ${message}` });
        return [];
      };
      const endpoint = parseEndpoint(text);
      if ('error' in endpoint) return refuse(endpoint.error);
      if (endpoint.kind !== 'vmid' && endpoint.kind !== 'workload') return refuse(REMEDIES.not_a_workload ?? '');
      const found = resolveWorkloads(text, this.inputs.index, getOwnerId(owner));
      if ('reason' in found) return refuse(REMEDIES[found.reason] ?? found.reason);
      return found.map(({ id }) => id);
    });
  }

  /** Notes endpoints that have no place in a file. */
  checkEndpoints(endpoints: readonly string[], owner: Owned, field: string, canBeAmbiguous = false): void {
    for (const [at, text] of endpoints.entries()) {
      const byId = findIdReference(text);
      if (byId) this.problems.push({ field: `${field}.${at}`, message: byId });
      if (byId || canBeAmbiguous) continue;
      const { index } = this.inputs;
      const found = resolvePeers(pinGroup(text, index.groups, getOwnerId(owner)), index, getOwnerId(owner));
      if (found === 'any' || !('reason' in found) || found.reason !== 'ambiguous') continue;
      this.problems.push({ field: `${field}.${at}`, message: `${text}: ${REMEDIES.ambiguous}` });
    }
  }
}

function readEntries(file: PolicyFile, reader: FileReader): void {
  for (const list of FILE_LISTS) {
    for (const [at, entry] of file[list].entries()) {
      const field = `${list}.${at}`;
      const owner = reader.findOwner(entry, field);
      if (!owner) continue;
      if ('members' in entry) {
        for (const [place, text] of entry.members.entries()) {
          const byId = findIdReference(text);
          if (byId) reader.problems.push({ field: `${field}.members.${place}`, message: byId });
        }
      } else if ('definition' in entry) {
        reader.checkEndpoints(entry.definition.sources, owner, `${field}.definition.sources`);
        reader.checkEndpoints(entry.definition.targets, owner, `${field}.definition.targets`);
      } else {
        reader.checkEndpoints(entry.from, owner, `${field}.from`, true);
        reader.checkEndpoints(entry.to, owner, `${field}.to`, true);
      }
    }
  }
}

type Base = { base_version?: number };
const toBase = ({ stored }: FileOperation): Base => (stored ? { base_version: stored.version } : {});

/** The edits of a group: its content, and its members. */
function toGroupEdits(
  operation: FileOperation<'security_groups'>,
  reader: FileReader,
  members: ReadonlyMap<string, readonly string[]>,
): FileEdit['item'][] {
  const { at, stored, entry, fields } = operation;
  if (operation.action === 'delete' && stored) {
    return [{ kind: 'group_delete', group_id: stored.id, ...toBase(operation) }];
  }
  const field = `security_groups.${at}`;
  const owner = reader.findOwner(entry, field);
  if (!owner) return [];
  const given = reader.findMembers(entry.members, owner, field);
  const { tenant: _, project: __, members: ___, ...content } = entry;
  if (!stored) return [{ kind: 'group', group: { ...content, ...owner, workload_ids: given } }];
  const items: FileEdit['item'][] = [];
  if (fields.some((change) => change.field !== 'members')) {
    const group = { ...content, workload_ids: [] };
    items.push({ kind: 'group', group_id: stored.id, ...toBase(operation), group });
  }
  const known = members.get(stored.id) ?? [];
  const add = given.filter((id) => !known.includes(id));
  const remove = known.filter((id) => !given.includes(id));
  if (add.length + remove.length > 0) {
    items.push({ kind: 'group_members', group_id: stored.id, ...toBase(operation), add, remove });
  }
  return items;
}

function toEdits(operation: FileOperation, reader: FileReader, members: ReadonlyMap<string, readonly string[]>) {
  const { list, at, stored, action } = operation;
  if (list === 'security_groups') return toGroupEdits(operation, reader, members);
  const base = toBase(operation);
  const own = list === 'policies' ? { policy_id: stored?.id } : { policy_test_id: stored?.id };
  if (action === 'delete' && stored) {
    return list === 'policies'
      ? [{ kind: 'policy_delete' as const, policy_id: stored.id, ...base }]
      : [{ kind: 'policy_test_delete' as const, policy_test_id: stored.id, ...base }];
  }
  const owner = reader.findOwner(operation.entry, `${list}.${at}`);
  if (!owner) return [];
  if (list === 'policies') {
    const { tenant: _, project: __, ...content } = operation.entry;
    const policy = { ...content, ...(stored ? {} : owner), reason: '' };
    return [{ kind: 'policy' as const, ...(stored && own), ...base, policy }];
  }
  const { tenant: _, project: __, ...content } = operation.entry;
  return [
    { kind: 'policy_test' as const, ...(stored && own), ...base, test: { ...content, ...(stored ? {} : owner) } },
  ];
}

/** Manual members that a file can name, by group. */
function indexMembers(stored: StoredEntries, reader: FileReader): Map<string, string[]> {
  return new Map(
    stored.security_groups.map(({ id, entry }) => {
      const owner = reader.owners.find(entry);
      const found = 'message' in owner ? [] : reader.findMembers(entry.members, owner, id);
      return [id, found];
    }),
  );
}

/**
 * The operations that make what is stored what a document says, each with its edits.
 * @throws AppError `malformed` naming fields of the document; `not_found` for an unknown tenant; `conflict` as `readStoredEntries`
 */
export async function readOperations(
  reach: FileReach,
  inputs: PolicyInputs,
  { document, prune, tenant, managed_by }: PolicyFilePlanInput,
): Promise<{ edits: FileEdit[]; owners: FileOwners; stored: StoredEntries }> {
  const owners = await FileOwners.read(db, reach.policies);
  const narrowed = narrowReach(reach, owners, tenant);
  const stored = await readStoredEntries(db, narrowed, owners, inputs);
  const reader = new FileReader(owners, inputs);
  const members = indexMembers(stored, reader);
  reader.problems.length = 0;
  readEntries(document, reader);
  reader.problems.push(...findDuplicates(document));
  if (tenant !== undefined) reader.problems.push(...findStrangers(document, tenant));
  const edits: FileEdit[] = [];
  const source = managed_by?.source ?? null;
  const operations = compareFile(document, stored, { prune, source });
  reader.problems.push(...findManaged(operations, source));
  for (const operation of operations) {
    for (const item of toEdits(operation, reader, members)) edits.push({ operation, item });
  }
  const problems = [...new Map(reader.problems.map((one) => [`${one.field} ${one.message}`, one])).values()];
  if (problems.length > 0) {
    throw new AppError('malformed', 'The document is not valid.', {
      errors: problems.slice(0, 50).map(({ field, message }) => ({ field: `document.${field}`, message })),
    });
  }
  return { edits, owners, stored };
}

/** Objects of others in a document that is applied for one tenant. */
const findStrangers = (document: PolicyFile, tenant: string): FileProblem[] =>
  FILE_LISTS.flatMap((list) =>
    document[list].flatMap((entry, at): FileProblem[] =>
      entry.tenant === tenant
        ? []
        : [{ field: `${list}.${at}.tenant`, message: `This is limited to the tenant ${tenant}. Name it here, too.` }],
    ),
  );

/** The reach within one tenant. @throws AppError `not_found` */
export function narrowReach(reach: FileReach, owners: FileOwners, tenant: string | undefined): FileReach {
  if (tenant === undefined) return reach;
  const id = owners.findTenant(tenant);
  const holds = ({ policies, groups, tests }: FileReach) =>
    [policies, groups, tests].every((one) => {
      const tenants = getReachableTenants(one);
      return tenants === 'all' || (id !== null && tenants.includes(id));
    });
  if (id === null || !holds(reach)) {
    throw notFound('tenant', [{ field: 'tenant', message: `The tenant ${tenant} was not found.` }]);
  }
  return { policies: [id], groups: [id], tests: [id] };
}
