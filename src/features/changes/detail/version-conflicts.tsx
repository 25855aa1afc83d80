'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Change } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem, GroupContent } from '@/domain/change/items';
import type { PolicySnapshot } from '@/domain/policies';
import { compareSnapshots } from '@/domain/policy/snapshot';
import { useT } from '@/lib/i18n/use-t';
import { type Failure, toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { toItemInput } from '../../shared/changes/to-item-input';
import { SnapshotDifference } from '../../shared/policy-versions/snapshot-difference';
import { GroupDifference } from './content-section';

type Content<T> = { readonly base: T | null; readonly current: T | null; readonly change: T | null };

/** An edit whose object another user stored a newer version of, as the service answers it. */
export type Conflict = {
  readonly id: string;
  readonly name: string;
  readonly base_version: number;
  /** Null: it was deleted. */
  readonly version: number | null;
} & (({ readonly kind: 'policy' } & Content<PolicySnapshot>) | ({ readonly kind: 'group' } & Content<GroupContent>));

/** The conflicts because of which a change was not applied; null for other failures. */
export function readConflicts(failure: Pick<Failure, 'extra'> | null): readonly Conflict[] | null {
  const conflicts = failure?.extra?.conflicts;
  return Array.isArray(conflicts) && conflicts.length > 0 ? (conflicts as Conflict[]) : null;
}

type Props = { change: Change; conflicts: readonly Conflict[]; onSolved: () => void };

/** What another user stored since an edit was made, beside what the change makes of it, and the choice between them. */
export function VersionConflicts({ change, conflicts, onSolved }: Props) {
  const t = useT();
  const solve = useSolve(change, conflicts, onSolved);
  const refusal = solve.error ? toFailure(solve.error) : null;
  const isDeleted = conflicts.some(({ version }) => version === null);
  const keepsNone = conflicts.length === change.items_total;
  return (
    <Notice tone="danger" live title={t('Another user stored a newer version')}>
      <ul aria-label={t('Conflicts')} className="flex flex-col gap-4 py-2">
        {conflicts.map((conflict) => (
          <li key={conflict.id} className="flex flex-col gap-2">
            <p className="font-medium">
              {conflict.version === null
                ? t('{name}: deleted since version {base}', { name: conflict.name, base: conflict.base_version })
                : t('{name}: version {version}, edited from version {base}', {
                    name: conflict.name,
                    version: conflict.version,
                    base: conflict.base_version,
                  })}
            </p>
            <div className="grid gap-3 md:grid-cols-2">
              <Side label={t('Stored by another user')} conflict={conflict} side="current" />
              <Side label={t('This change')} conflict={conflict} side="change" />
            </div>
          </li>
        ))}
      </ul>
      <p>{t('Both make a draft of the change. Submit it again to apply it.')}</p>
      <div className="flex flex-wrap gap-2 pt-2">
        <Button
          size="sm"
          pending={solve.isPending}
          disabledReason={keepsNone ? t('The change has no other edits. Withdraw it instead.') : null}
          onClick={() => solve.mutate('theirs')}
        >
          {t('Remove these edits')}
        </Button>
        <Button
          size="sm"
          variant="danger"
          pending={solve.isPending}
          disabledReason={isDeleted ? t('What was deleted cannot be overwritten.') : null}
          onClick={() => solve.mutate('ours')}
        >
          {t('Overwrite with this change')}
        </Button>
      </div>
      {refusal && <p className="text-danger">{refusal.detail ?? refusal.title}</p>}
    </Notice>
  );
}

function Side({ label, conflict, side }: { label: string; conflict: Conflict; side: 'current' | 'change' }) {
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-1 rounded-md bg-surface p-2">
      <h4 className="text-sm text-muted">{label}</h4>
      <SideContent conflict={conflict} side={side} />
    </section>
  );
}

function SideContent({ conflict, side }: { conflict: Conflict; side: 'current' | 'change' }) {
  const t = useT();
  const { base } = conflict;
  if (conflict[side] === null) return <p className="text-danger">{t('Deleted')}</p>;
  if (conflict.kind === 'group') {
    const content = conflict[side];
    // Members are added and removed, whatever the version.
    if (content === null || !('name' in content)) return <p className="text-muted">{t('Members only')}</p>;
    return <GroupDifference before={conflict.base} after={content} />;
  }
  const content = conflict[side];
  if (base === null || content === null) return null;
  const { fields, rules } = compareSnapshots(conflict.base as PolicySnapshot, content);
  if (fields.length + rules.length === 0) return <p className="text-muted">{t('No difference')}</p>;
  return <SnapshotDifference fields={fields} rules={rules} />;
}

/** Makes the edits those of the versions that are stored now, or leaves them out. */
function useSolve({ id, version, items }: Change, conflicts: readonly Conflict[], onSolved: () => void) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const isListed = (item: ChangeItem) => conflicts.some((conflict) => listObjectIds(item).includes(conflict.id));
  return useMutation({
    mutationFn: (kept: 'ours' | 'theirs') =>
      client.changes.update.mutate({
        id,
        version,
        items: items
          .filter((item) => kept === 'ours' || !isListed(item))
          .map((item) => {
            const input = toItemInput(item);
            return isListed(item) ? { ...input, base_version: undefined } : input;
          }),
      }),
    onSuccess: (change) => {
      queryClient.setQueryData(trpc.changes.get.queryKey({ id }), change);
      void queryClient.invalidateQueries(trpc.changes.pathFilter());
      showToast('ok', { title: t('Change saved') });
      onSolved();
    },
  });
}
