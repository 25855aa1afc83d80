'use client';
import type { Change } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem, GroupContent } from '@/domain/change/items';
import { compareSnapshots } from '@/domain/policy/snapshot';
import type { TestContent } from '@/domain/policy-tests/definition';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { Section } from '@/ui/section';
import { describeItem } from '../../shared/changes/change-labels';
import { PolicyLink, SecurityGroupLink, WorkloadLink } from '../../shared/entity-links';
import { useWorkloadName } from '../../shared/list/sources';
import { NewPolicy } from '../../shared/policy-versions/new-policy';
import { SnapshotDifference } from '../../shared/policy-versions/snapshot-difference';

/** What the change consists of: each edit with the content before and after. */
export function ContentSection({ change }: { change: Change }) {
  const t = useT();
  const { items, hidden_items: hidden } = change;
  return (
    <Section
      id="content"
      title={t('Content')}
      description={t('{n, plural, one {# edit, applied} other {# edits, applied}} and rolled back as a whole.', {
        n: items.length + hidden,
      })}
      bare
    >
      <ul className="flex flex-col gap-3" aria-label={t('Edits')}>
        {items.map((item) => (
          <li key={`${item.kind} ${listObjectIds(item)[0]}`} className="min-w-0 rounded-lg border bg-surface p-4">
            <Item item={item} isApplied={change.applied_at !== null} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p className="text-muted">
          {t('{n, plural, one {# edit} other {# edits}} of other owners, not visible to you.', { n: hidden })}
        </p>
      )}
    </Section>
  );
}

const DELETIONS: readonly ChangeItem['kind'][] = ['policy_delete', 'group_delete', 'policy_test_delete'];

function Item({ item, isApplied }: { item: ChangeItem; isApplied: boolean }) {
  const t = useT();
  const { tone, word } = describeItem(t, item);
  // What a draft creates has no page yet, and what a change deletes none any more.
  const exists = 'before' in item && item.before === null ? isApplied : !DELETIONS.includes(item.kind) || !isApplied;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 pb-2">
        <Badge tone={tone}>{word}</Badge>
        <h3 className="font-medium">
          {!exists ? (
            item.name
          ) : 'policy_id' in item ? (
            <PolicyLink id={item.policy_id} name={item.name} />
          ) : 'group_id' in item ? (
            <SecurityGroupLink id={item.group_id} name={item.name} />
          ) : 'policy_test_id' in item ? (
            <Link className="link" href={paths.policyTest({ testId: item.policy_test_id })}>
              {item.name}
            </Link>
          ) : item.kind === 'residual_removal' ? (
            <WorkloadLink id={item.workload_id} name={item.name} />
          ) : (
            item.name || t('No project')
          )}
        </h3>
        {item.base_version !== null && (
          <span className="text-sm text-faint">{t('from version {version}', { version: item.base_version })}</span>
        )}
      </div>
      {item.kind === 'policy' && item.adopted_from && (
        <p className="pb-2 text-muted">
          {t('Adopts what is live on {names}.', { names: item.adopted_from.map(({ name }) => name).join(', ') })}
        </p>
      )}
      {'moved_from' in item && item.moved_from && (
        <p className="pb-2">
          {item.project_id === null ? t('Moves from its project to the whole tenant.') : t('Moves to another project.')}
        </p>
      )}
      <Difference item={item} />
    </>
  );
}

function Difference({ item }: { item: ChangeItem }) {
  const t = useT();
  switch (item.kind) {
    case 'policy': {
      if (item.before === null) return <NewPolicy policy={item.after} />;
      const { fields, rules } = compareSnapshots(item.before, item.after);
      if (fields.length + rules.length === 0 && item.moved_from) return null;
      if (fields.length + rules.length === 0)
        return <p className="text-muted">{t('The stored content is applied without edits.')}</p>;
      return <SnapshotDifference fields={fields} rules={rules} />;
    }
    case 'policy_delete':
      return (
        <p className="text-muted">
          {t('The policy and {n, plural, one {its rule are} other {its # rules are}} removed from all workloads.', {
            n: item.before.rules.length,
          })}
        </p>
      );
    case 'group':
      return (
        <>
          <GroupDifference before={item.before} after={item.after} />
          <Members label={t('Added')} ids={item.add} />
        </>
      );
    case 'group_members':
      return (
        <div className="flex flex-col gap-2">
          <Members label={t('Added')} ids={item.add} />
          <Members label={t('Removed')} ids={item.remove} />
        </div>
      );
    case 'group_delete':
      return (
        <p className="text-muted">
          {t('The group and its {n, plural, one {manual member} other {# manual members}} are removed.', {
            n: item.remove.length,
          })}
        </p>
      );
    case 'policy_test':
      return <ContentDifference<keyof TestContent> labels={TEST_FIELDS} before={item.before} after={item.after} />;
    case 'policy_test_delete':
      return <p className="text-muted">{t('The policy test is no longer evaluated.')}</p>;
    case 'move':
      return <Members label={t('Workloads')} ids={item.workloads.map(({ id }) => id)} />;
    case 'residual_removal':
      return (
        <p className="text-muted">
          {t(
            'Rules of former tenants and projects are removed, including those set to be kept. A rollback cannot restore them.',
          )}
        </p>
      );
  }
}

const GROUP_FIELDS: Record<keyof GroupContent, string> = {
  name: msg('Name'),
  description: msg('Description'),
  member_tags: msg('Members by tag'),
  member_tags_match: msg('Tag match'),
};

const TEST_FIELDS: Record<keyof TestContent, string> = {
  name: msg('Name'),
  expect: msg('Expected'),
  from: msg('From'),
  to: msg('To'),
  protocol: msg('Protocol'),
  ports: msg('Ports'),
  reason: msg('Reason'),
  owner: msg('Owner'),
};

const contentValue = (t: Translate, value: string | readonly string[]): string =>
  (typeof value === 'string' ? value : value.join(', ')) || t('(empty)');

export const GroupDifference = (content: { before: GroupContent | null; after: GroupContent }) => (
  <ContentDifference labels={GROUP_FIELDS} {...content} />
);

type Content<F extends string> = Readonly<Record<F, string | readonly string[]>>;

/** The fields of an object that differ, each with its value before and after. */
function ContentDifference<F extends string>({
  labels,
  before,
  after,
}: {
  labels: Readonly<Record<F, string>>;
  before: Content<F> | null;
  after: Content<F>;
}) {
  const t = useT();
  const fields = (Object.keys(labels) as F[]).filter(
    (field) => contentValue(t, before?.[field] ?? '') !== contentValue(t, after[field]),
  );
  return (
    <ul className="divide-y rounded-md border">
      {fields.map((field) => (
        <li key={field} className="grid gap-x-3 px-3 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <span className="text-muted">{t(labels[field])}</span>
          <span className="flex min-w-0 flex-col [overflow-wrap:anywhere]">
            {before && <del className="text-danger decoration-1">{contentValue(t, before[field])}</del>}
            <ins className="text-ok no-underline">{contentValue(t, after[field])}</ins>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Members that are named; of more than these, the number. */
const NAMED = 20;

function Members({ label, ids }: { label: string; ids: readonly string[] }) {
  const t = useT();
  if (ids.length === 0) return null;
  const more = ids.length - NAMED;
  return (
    <p>
      <span className="text-muted">{t('{label}: {n, number}', { label, n: ids.length })}</span>{' '}
      {ids.slice(0, NAMED).map((id, i) => (
        <span key={id}>
          {i > 0 && ', '}
          <Member id={id} />
        </span>
      ))}
      {more > 0 && <span className="text-muted"> {t('and {n, number} more', { n: more })}</span>}
    </p>
  );
}

function Member({ id }: { id: string }) {
  const { name, gone } = useWorkloadName(id);
  if (gone) return <span className="mono">{id}</span>;
  return <WorkloadLink id={id} name={name ?? '…'} />;
}
