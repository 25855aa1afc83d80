'use client';
import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { computeReach, getReachableTenants } from '@/domain/permissions';
import type { SavedView } from '@/domain/saved-view';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { EmptyState } from '@/ui/empty-state';
import { FieldFrame } from '@/ui/form/field-frame';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { type MenuEntry, RowActions } from '@/ui/menu';
import { Section } from '@/ui/section';
import { Select } from '@/ui/select';
import { TextInput } from '@/ui/text-input';
import { DeleteDialog } from '../delete-dialog';
import { QueryView } from '../query-view';
import { readQuery, useViewActions } from './use-view-actions';

/** As many as one page of the list has: what a user and two tenants can have. */
const MOST = 500;
const PRIVATE = 'private';
type Tenant = { id: string; name: string };

/** Tenants with which the user may share views. */
function useSharingTenants(): Tenant[] {
  const state = useSession();
  if (state.status !== 'signed_in') return [];
  const reach = getReachableTenants(computeReach(state.user.grants, 'policy:write'));
  return state.user.tenants.filter(({ id }) => reach === 'all' || reach.includes(id));
}

/** The saved views of this page: opens, saves, changes and deletes them. */
export function ViewsDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const page = usePathname();
  const tenants = useSharingTenants();
  const query = useQuery({ ...trpc.savedViews.list.queryOptions({ page, limit: MOST }), enabled: open });
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('Views')}
      description={t('Filters and sort order of this page, under a name.')}
    >
      <div className="flex flex-col gap-6">
        <SaveForm page={page} tenants={tenants} />
        <QueryView query={query} skeleton={<Skeleton className="h-24 w-full" />}>
          {({ items, total }) =>
            items.length === 0 ? (
              <EmptyState icon={<Bookmark />} title={t('No saved views')}>
                {t('Set filters on the page, then save them here under a name.')}
              </EmptyState>
            ) : (
              <>
                <ViewList title={t('Only for you')} views={items.filter(isOwn)} tenants={tenants} onOpen={onClose} />
                <ViewList
                  title={t('Shared')}
                  views={items.filter((view) => !isOwn(view))}
                  tenants={tenants}
                  onOpen={onClose}
                />
                {total > items.length && (
                  <p className="text-muted">
                    {t('{shown, number} of {total, number} views are shown.', { shown: items.length, total })}
                  </p>
                )}
              </>
            )
          }
        </QueryView>
      </div>
    </Drawer>
  );
}

const isOwn = ({ tenant_id }: SavedView) => tenant_id === null;

function SaveForm({ page, tenants }: { page: string; tenants: readonly Tenant[] }) {
  const t = useT();
  const { create } = useViewActions();
  const [name, setName] = useState('');
  const [owner, setOwner] = useState(PRIVATE);
  const missing = name.trim() === '' && t('Enter a name.');
  const failure = create.error ? toFailure(create.error) : null;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing) return;
        create.mutate(
          { page, name, query: readQuery(), tenant_id: owner === PRIVATE ? null : owner },
          { onSuccess: () => setName('') },
        );
      }}
    >
      <FieldFrame name="name" label={t('Name')} error={failure ? (failure.detail ?? failure.title) : undefined}>
        <TextInput
          value={name}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
            create.reset();
          }}
        />
      </FieldFrame>
      {tenants.length > 0 && (
        <FieldFrame name="tenant_id" label={t('Visible to')} error={undefined} nativeLabel={false}>
          <Select
            value={owner}
            onValueChange={setOwner}
            options={[
              { value: PRIVATE, label: t('Only you') },
              ...tenants.map(({ id, name: tenant }) => ({ value: id, label: tenant })),
            ]}
          />
        </FieldFrame>
      )}
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        pending={create.isPending}
        disabledReason={missing}
      >
        {t('Save view')}
      </Button>
    </form>
  );
}

type ListProps = { title: string; views: readonly SavedView[]; tenants: readonly Tenant[]; onOpen: () => void };

function ViewList({ title, views, tenants, onOpen }: ListProps) {
  if (views.length === 0) return null;
  return (
    <Section title={title} bare>
      <ul className="divide-y rounded-lg border">
        {views.map((view) => (
          <ViewRow key={view.id} view={view} tenants={tenants} onOpen={onOpen} />
        ))}
      </ul>
    </Section>
  );
}

function ViewRow({ view, tenants, onOpen }: { view: SavedView; tenants: readonly Tenant[]; onOpen: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const { change, remove } = useViewActions();
  const [deleting, setDeleting] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const entries: MenuEntry[] = [
    {
      id: 'update',
      label: t('Replace with current filters'),
      onSelect: () => change(view, { query: readQuery() }),
    },
    { id: 'rename', label: t('Rename'), onSelect: () => setRenaming(view.name) },
    ...tenants
      .filter(({ id }) => id !== view.tenant_id)
      .map(({ id, name }) => ({
        id,
        label: t('Share with {tenant}', { tenant: name }),
        onSelect: () => change(view, { tenant_id: id }),
      })),
    ...(view.tenant_id === null
      ? []
      : [{ id: PRIVATE, label: t('Stop sharing'), onSelect: () => change(view, { tenant_id: null }) }]),
    { id: 'delete', label: t('Delete'), tone: 'danger', onSelect: () => setDeleting(true) },
  ];
  return (
    <li className="flex min-h-11 items-center gap-2 px-3 py-1">
      {renaming === null ? (
        <Link
          className="link min-w-0 flex-1 truncate"
          href={`${view.page}${view.query && `?${view.query}`}`}
          onClick={onOpen}
        >
          {view.name}
        </Link>
      ) : (
        <form
          className="flex min-w-0 flex-1 gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (renaming.trim() !== '') change(view, { name: renaming });
            setRenaming(null);
          }}
        >
          <TextInput
            autoFocus
            aria-label={t('Name')}
            maxLength={100}
            value={renaming}
            className="flex-1"
            onChange={(event) => setRenaming(event.target.value)}
          />
          <Button type="submit">{t('Save')}</Button>
        </form>
      )}
      {view.tenant_name && <Badge>{view.tenant_name}</Badge>}
      {view.editable && <RowActions name={view.name} entries={entries} />}
      {deleting && (
        <DeleteDialog
          title={t('Delete view {name}?', { name: view.name })}
          confirmLabel={t('Delete view')}
          name={view.name}
          remove={() => remove(view)}
          outdated={[{ queryKey: trpc.savedViews.pathKey() }]}
          onClose={() => setDeleting(false)}
        >
          <p>
            {view.tenant_name
              ? t('All users of {tenant} lose this view.', { tenant: view.tenant_name })
              : t('Only you see this view.')}
          </p>
        </DeleteDialog>
      )}
    </li>
  );
}
