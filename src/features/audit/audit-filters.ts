'use client';
import { useQuery } from '@tanstack/react-query';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { type Filter, goneText, type Source, searched } from '../shared/list/filters';
import { USER } from '../shared/list/sources';
import { usePermissions } from '../shared/use-permissions';

/** A user that was deleted is still named by the trail. */
const ACTOR: Source = {
  ...USER,
  useName: (id) => {
    const t = useT();
    const trpc = useTRPC();
    const { can } = usePermissions();
    const user = USER.useName(id);
    const trail = useQuery({
      ...trpc.audit.list.queryOptions({ actor_id: id ?? '', sort: '-at', limit: 1 }),
      enabled: id !== null && user.gone,
    });
    const noted = trail.data?.items[0]?.actor_name;
    if (!noted) return { name: user.name, gone: user.gone && !trail.isPending };
    return { name: can('user:read') ? t('{name} (deleted or not visible)', { name: noted }) : noted, gone: false };
  },
};

export const ACTOR_FILTER = searched(msg('User'), 'id', ACTOR);

/** The one object that a record's page narrows the trail down to, named by its newest record. */
export const OBJECT_FILTER: Filter<'text'> = {
  spec: 'text',
  clears: ['object_kind'],
  useField: (t, value, choose) => {
    const trpc = useTRPC();
    const { data, isPending } = useQuery({
      ...trpc.audit.list.queryOptions({ object_id: value ?? '', sort: '-at', limit: 1 }),
      enabled: value !== null,
    });
    if (value === null) return null;
    const name = data?.items[0]?.object_name ?? (isPending ? '…' : data?.items.length ? value : goneText(t));
    return {
      label: t('Object'),
      single: true,
      options: [{ value, label: name }],
      value: [value],
      onValueChange: ([chosen]) => choose(chosen ?? null),
    };
  },
};
