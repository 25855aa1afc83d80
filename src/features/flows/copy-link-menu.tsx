'use client';
import { Link2 } from 'lucide-react';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { showToast } from '@/ui/toast';

type Props = {
  /** The times that are shown now. */
  range: { since: string; until?: string };
};

async function copy(t: Translate, url: URL) {
  try {
    await navigator.clipboard.writeText(url.href);
    showToast('ok', { title: t('Link copied') });
  } catch {
    // Absent or forbidden on plain HTTP outside localhost.
    showToast('danger', {
      title: t('The browser blocks copying here'),
      description: t('Copy the URL from the address bar instead.'),
    });
  }
}

/** The address of the page with the times of now in place of a span: others see the same flows, as long as they are kept. */
function fixedUrl({ since, until }: Props['range']): URL {
  const url = new URL(window.location.href);
  for (const name of ['range', 'refresh', 'live']) url.searchParams.delete(name);
  url.searchParams.set('since', since);
  if (until) url.searchParams.set('until', until);
  return url;
}

/** Hands on what is looked at: filters, time, grouping and sort are in the address. */
export function CopyLinkMenu({ range }: Props) {
  const t = useT();
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={<Link2 size={14} />}>
          <span>
            {t.rich('Copy<wide> link</wide>', { wide: (inside) => <span className="max-sm:sr-only">{inside}</span> })}
          </span>
        </Button>
      }
      entries={[
        { id: 'view', label: t('To this view'), onSelect: () => void copy(t, new URL(window.location.href)) },
        { id: 'fixed', label: t('To this time range'), onSelect: () => void copy(t, fixedUrl(range)) },
      ]}
    />
  );
}
