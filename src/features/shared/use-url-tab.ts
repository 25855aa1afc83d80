'use client';
import { useRouter } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';

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
  const [chosen] = useQueryState('tab', parseAsStringLiteral(tabs));
  const open = (tab: string) => router.push(href(tab === first ? undefined : tab), { scroll: false });
  return [chosen ?? first ?? '', open];
}
