import { actsOn, type PolicyOwner } from './acts-on';

/** What decides who the members of a group are. */
export type MemberRule = PolicyOwner & {
  readonly member_tags: readonly string[];
  readonly member_tags_match: 'any' | 'all';
  /** Workloads that were added manually. */
  readonly added: readonly string[];
};

type Candidate = PolicyOwner & { readonly id: string; readonly tags: readonly string[] };

/**
 * Members added manually and those by tag, of the group's tenant or project only: workloads may have moved since
 * they were added.
 */
export function resolveMembers(group: MemberRule, workloads: ReadonlyMap<string, Candidate>): string[] {
  const { member_tags: tags, member_tags_match: match } = group;
  const added = group.added.flatMap((id) => workloads.get(id) ?? []);
  const tagged =
    tags.length === 0
      ? []
      : [...workloads.values()].filter((workload) =>
          match === 'all'
            ? tags.every((tag) => workload.tags.includes(tag))
            : tags.some((tag) => workload.tags.includes(tag)),
        );
  const members = [...added, ...tagged].filter((workload) => actsOn(group, workload));
  return [...new Set(members.map(({ id }) => id))];
}
