'use client';
import { Link2 } from 'lucide-react';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { showToast } from '@/ui/toast';

type Props = {
  /** The times that are shown now. */
  range: { since: string; until?: string };
};

async function copy(url: URL) {
  try {
    await navigator.clipboard.writeText(url.href);
    showToast('ok', { title: 'Link copied' });
  } catch {
    // Absent or forbidden on plain HTTP outside localhost.
    showToast('danger', { title: 'Copying is not allowed here', description: 'Copy the address of the page instead.' });
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
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={<Link2 size={14} />}>
          <span>
            Copy<span className="max-sm:sr-only"> link</span>
          </span>
        </Button>
      }
      entries={[
        { id: 'view', label: 'To this view', onSelect: () => void copy(new URL(window.location.href)) },
        { id: 'fixed', label: 'To this moment', onSelect: () => void copy(fixedUrl(range)) },
      ]}
    />
  );
}
