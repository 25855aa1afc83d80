'use client';
import { useRouter } from 'next/navigation';
import type { Grantable } from '@/domain/permissions';
import { URL_FLAG, urlEnum, useUrlValue, withInitial } from '@/lib/url-state';
import { usePermissions } from './use-permissions';

/**
 * The tab of a page, in the URL, and what opens another one. A tab begins without the search and filters of the one before.
 * @param href the address of a tab; without a name that of `first`
 */
export function useUrlTab<const T extends readonly string[]>(
  tabs: T,
  href: (tab: string | undefined) => string,
  first: T[number] | undefined = tabs[0],
): [tab: T[number], open: (tab: string) => void] {
  const router = useRouter();
  const [chosen] = useUrlValue('tab', urlEnum(tabs));
  const open = (tab: string) => router.push(href(tab === first ? undefined : tab), { scroll: false });
  return [chosen ?? first ?? '', open];
}

/**
 * Whether the form that adds something is open, and what opens and closes it. `add=true` in the URL, so that links and commands
 * open it; without the permission it stays closed.
 */
export function useAdding(permission?: Grantable): [adding: boolean, setAdding: (open: boolean) => void] {
  const { can } = usePermissions();
  const [asked, setAsked] = useUrlValue('add', withInitial(URL_FLAG, false));
  const isAllowed = permission === undefined || can(permission);
  return [asked && isAllowed, (open) => void setAsked(open ? true : null)];
}
